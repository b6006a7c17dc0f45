import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { builtForHost } from "../base/package-root.ts";
import type { BuildAnswer, BuildRequest } from "./protocol.ts";

/**
 * Most CPU time of a build process and of its esbuild, each, in s; real hooks take 0.05 to 0.5. On a machine with other work to
 * do, a build takes any time besides.
 */
const BUILD_CPU_S = 30;

/** Longest build, in ms: one that waits for something uses no CPU. Windows limits no CPU time of a process. */
const BUILD_MS = process.platform === "win32" ? 30_000 : 300_000;

/** Memory of a build process and of its esbuild, each. A 477-byte enum made esbuild take 9 GB. */
const BUILD_MEMORY_KB = 1536 * 1024;

/**
 * V8 collects its garbage before the process reaches its limit. What one hook's files could change in the built-in objects
 * would meet the next hook.
 */
const FLAGS = ["--no-warnings", "--max-old-space-size=900", "--frozen-intrinsics"];

/** Largest answer: a bundle of 16 MB as JSON, and its map. */
const MAX_ANSWER_BYTES = 96 * 1024 * 1024;

const WORKER = builtForHost("bundle", "worker.js");

const NEWLINE = 10;
const POSIX = process.platform !== "win32";

/** Why there is no answer: the process ended, or had to be. */
export interface Lost {
  lost: string;
}

/** A process that builds one hook after another. It ends with this one. */
export class BuildProcess {
  /** Builds that it answered. */
  builds = 0;
  readonly #child: ChildProcess;
  #parts: Buffer[] = [];
  #bytes = 0;
  #done: ((answer: BuildAnswer | Lost) => void) | undefined;
  #lost: string | undefined;
  readonly #exited: Promise<unknown>;

  /** @param node absolute path of the Node to run it with */
  constructor(node: string) {
    const limit = `ulimit -c 0; ulimit -t ${BUILD_CPU_S} || exit 1; ulimit -d ${BUILD_MEMORY_KB} 2>/dev/null; exec "$@"`;
    const command = [...(POSIX ? ["/bin/sh", "-c", limit, "cordon-build"] : []), node, ...FLAGS, WORKER];
    this.#child = spawn(command[0] as string, command.slice(1), {
      cwd: POSIX ? "/" : undefined,
      env: Object.create(null),
      detached: POSIX,
      windowsHide: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#exited = new Promise((resolve) => this.#child.once("exit", resolve).once("error", resolve));
    // When no descriptors are left, the child has no pipes, and an error event follows.
    this.#child.on("error", (error) => this.#end(`the build could not be started: ${error.message}`));
    this.#child.on("close", (_code, signal) => {
      const most = `${BUILD_CPU_S} s of CPU time, or ${BUILD_MEMORY_KB / 1024} MB`;
      this.#end(`the build used more than ${most}, or crashed${signal ? ` (${signal})` : ""}`);
    });
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#keepUp(false);
  }

  get hasEnded(): boolean {
    return this.#lost !== undefined;
  }

  /** One at a time. */
  async build(request: BuildRequest): Promise<BuildAnswer | Lost> {
    if (this.#lost !== undefined) return { lost: this.#lost };
    if (!this.#child.stdin || !this.#child.stdout) return { lost: "the build could not be started" };
    const timer = setTimeout(
      () => this.#end(`the build was not done after ${BUILD_MS / 1000} s and was stopped`),
      BUILD_MS,
    );
    this.#keepUp(true);
    try {
      return await new Promise((resolve) => {
        this.#done = resolve;
        this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
      });
    } finally {
      clearTimeout(timer);
      this.#keepUp(false);
      this.builds++;
    }
  }

  /** Resolves when the process is gone. */
  async end(): Promise<void> {
    this.#end("the build process was ended");
    this.#child.ref();
    await this.#exited;
  }

  /** Its answers are lines. */
  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#parts.push(chunk);
    if (this.#bytes > MAX_ANSWER_BYTES) this.#end("the answer of the build is too large");
    if (chunk.at(-1) !== NEWLINE || this.hasEnded) return;
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    try {
      this.#answer(readJson(line));
    } catch {
      this.#end("the build crashed");
    }
  }

  #answer(answer: BuildAnswer | Lost): void {
    this.#done?.(answer);
    this.#done = undefined;
  }

  /** Its esbuild is of its process group. */
  #end(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    try {
      if (this.#child.pid !== undefined) process.kill(POSIX ? -this.#child.pid : this.#child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    this.#answer({ lost: why });
  }

  /** An idle one keeps nobody from ending. */
  #keepUp(yes: boolean): void {
    for (const part of [this.#child, this.#child.stdin as Socket | null, this.#child.stdout as Socket | null])
      yes ? part?.ref() : part?.unref();
  }
}
