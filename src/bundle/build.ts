import { spawn } from "node:child_process";
import { once } from "node:events";
import { CordonError } from "../base/errors.ts";
import { builtForHost } from "../base/package-root.ts";
import type { BuildAnswer, BuildRequest } from "./protocol.ts";

/**
 * Most CPU time of the build process and of esbuild's, each, in s; real hooks take 0.05 to 0.5. On a machine with other work to
 * do, a build takes any time besides.
 */
const BUILD_CPU_S = 30;

/** Longest build, in ms: one that waits for something uses no CPU. Windows limits no CPU time of a process. */
const BUILD_MS = process.platform === "win32" ? 30_000 : 300_000;

/** Memory of the build process and of esbuild's, each. A 477-byte enum made esbuild take 9 GB. */
const BUILD_MEMORY_KB = 1536 * 1024;

/** V8 collects its garbage before the process reaches its limit. */
const HEAP = "--max-old-space-size=900";

/** Largest answer: a bundle of 16 MB as JSON, and its map. */
const MAX_ANSWER_BYTES = 96 * 1024 * 1024;

const WORKER = builtForHost("bundle", "worker.js");

export type Built = BuildAnswer & { ok: true };

/**
 * Bundles a hook in a separate process, which is killed when it computes too long. Rejects with `IMPORT_REFUSED`,
 * `BUNDLE_TOO_LARGE` or `LOAD_FAILED`.
 *
 * @param node absolute path of the Node to run it with
 */
export async function buildHook(node: string, request: BuildRequest): Promise<Built> {
  const answer = await inTurn(() => runWorker(node, request));
  if (!answer.ok) throw new CordonError(answer.code, answer.message);
  return answer;
}

/** Most builds at once: each may take one and a half gigabytes, and a repository can have any number of hooks. */
const MAX_BUILDS = 2;
let building = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (building >= MAX_BUILDS) await new Promise<void>((resolve) => waiting.push(resolve));
  else building++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else building--;
  }
}

async function runWorker(node: string, request: BuildRequest): Promise<BuildAnswer> {
  const posix = process.platform !== "win32";
  const limit = `ulimit -c 0; ulimit -t ${BUILD_CPU_S} || exit 1; ulimit -d ${BUILD_MEMORY_KB} 2>/dev/null; exec "$@"`;
  const command = [...(posix ? ["/bin/sh", "-c", limit, "cordon-build"] : []), node, "--no-warnings", HEAP, WORKER];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: posix ? "/" : undefined,
    env: Object.create(null),
    detached: posix,
    windowsHide: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const failed = (message: string): BuildAnswer => ({ ok: false, code: "LOAD_FAILED", message });
  // When no descriptors are left, the child has no pipes, and an error event follows.
  child.on("error", () => {});
  if (!child.stdin || !child.stdout) return failed("the build could not be started");
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(posix ? -child.pid : child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const parts: Buffer[] = [];
  let bytes = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, BUILD_MS);
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) kill();
    else parts.push(chunk);
  });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(request));
  let signal: string | null;
  try {
    [, signal] = await once(child, "close");
  } catch (error) {
    return failed(`the build could not be started: ${(error as Error).message}`);
  } finally {
    clearTimeout(timer);
    kill();
  }
  if (late) return failed(`the build was not done after ${BUILD_MS / 1000} s and was stopped`);
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    const most = `${BUILD_CPU_S} s of CPU time, or ${BUILD_MEMORY_KB / 1024} MB`;
    return failed(`the build used more than ${most}, or crashed${signal ? ` (${signal})` : ""}`);
  }
}
