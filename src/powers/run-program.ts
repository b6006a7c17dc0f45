import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants as modes } from "node:fs";
import { constants } from "node:os";
import type { Duplex, Readable } from "node:stream";
import type { ProgramResult } from "../../sandbox/wire/answers.ts";
import { withSealedStdio } from "../runtime/sealed-stdio.ts";
import { ProgramInput } from "./program-input.ts";
import { programWatch } from "./program-watch.ts";

/** Reason of an abort that gives no time to end: its isolate is gone, or the grant no longer covers it. */
export const AT_ONCE = Symbol("at once");

/** Time between asking a program to end and ending it. */
const TERM_GRACE_MS = 2000;

let starting: Promise<void> = Promise.resolve();

/** A start takes milliseconds of the agent's own time: of a burst, one follows the other with the agent's work in between. */
function turnToStart(): Promise<void> {
  starting = starting.then(() => new Promise((resolve) => setImmediate(resolve)));
  return starting;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  readonly input?: Buffer | ProgramInput | undefined;
  /** Looked at right before it starts: false if what was granted is not so any more. */
  readonly isStill?: (() => boolean) | undefined;
}

const CHANGED: ProgramResult = {
  stdout: "",
  stderr: "cordon: a path of the command leads elsewhere than when it was looked at\n",
  code: 126,
  killed: false,
};

/**
 * Runs a program without a shell of its own, as a process group. Its standard input is closed, unless there is `input`. The group ends with the
 * program, and with this process, however that ends. Never rejects.
 */
export async function runProgram(
  path: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  await turnToStart();
  if (options.signal.aborted) return { stdout: "", stderr: "", code: 143, killed: true };
  if (options.isStill?.() === false) return { ...CHANGED };
  return new Promise((resolve) => {
    const fail = (): void => resolve({ stdout: "", stderr: "", code: 1, killed: false });
    let child: ChildProcess;
    try {
      child = startWatched(path, args, options);
    } catch {
      fail();
      return;
    }
    child.on("error", fail);
    // Without descriptors left there is a child without pipes, and an error event still to come.
    if (!child.stdout || !child.stderr) return;
    if (child.stdin && options.input instanceof ProgramInput) options.input.attach(child.stdin);
    else if (options.input) {
      // A program need not read all of it.
      child.stdin?.on("error", () => {});
      child.stdin?.end(options.input);
    }
    let killed = false;
    let force: NodeJS.Timeout | undefined;
    const signalGroup = (signal: NodeJS.Signals): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(POSIX ? -child.pid : child.pid, signal);
      } catch {
        // The group is gone.
      }
    };
    const end = (): void => {
      if (killed) return;
      killed = true;
      if (options.signal.reason === AT_ONCE) {
        signalGroup("SIGKILL");
        return;
      }
      signalGroup("SIGTERM");
      force = setTimeout(() => signalGroup("SIGKILL"), TERM_GRACE_MS);
    };
    const timer = Number.isFinite(options.timeoutMs)
      ? setTimeout(end, Math.min(options.timeoutMs, 0x7fffffff))
      : undefined;
    if (options.signal.aborted) end();
    else options.signal.addEventListener("abort", end, { once: true });
    const stdout = capture(child.stdout, options.maxOutputBytes);
    const stderr = capture(child.stderr, options.maxOutputBytes);
    child.on("close", (exitCode, signal) => {
      // What it left behind of its group would outlive the hook, and this process.
      signalGroup("SIGKILL");
      if (child.pid !== undefined) programWatch.end(child.pid);
      clearTimeout(timer);
      clearTimeout(force);
      options.signal.removeEventListener("abort", end);
      const isCut = stdout.isCut() || stderr.isCut();
      const note = isCut ? `\ncordon: output cut at ${options.maxOutputBytes} bytes\n` : "";
      const code = exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ stdout: stdout.text(), stderr: stderr.text() + note, code, killed });
    });
  });
}

const POSIX = process.platform !== "win32";

/** The descriptor on which a program is told to begin. */
const GATE = 3;

/** What some shells put into an environment, where it is not set. */
const SET_BY_SHELLS = ["PWD", "OLDPWD", "SHLVL", "_"];

/** Starts a program in a group of its own, which it becomes only once its group is watched: until then it is a shell that waits. */
function startWatched(path: string, args: readonly string[], { cwd, env, input }: ProgramOptions): ChildProcess {
  const common = { cwd, env, shell: false, detached: POSIX, windowsHide: true } as const;
  const stdin = input === undefined ? "ignore" : "pipe";
  if (!POSIX) return withSealedStdio([stdin, "pipe", "pipe"], (stdio) => spawn(path, args, { ...common, stdio }));
  accessSync(path, modes.X_OK);
  const added = SET_BY_SHELLS.filter((name) => env[name] === undefined);
  const script = `read -r cordon_go <&${GATE} || exit 1; unset cordon_go ${added.join(" ")}; exec "$@" ${GATE}<&-`;
  const child = withSealedStdio([stdin, "pipe", "pipe", "pipe"], (stdio) =>
    spawn("/bin/sh", ["-c", script, "cordon-program", path, ...args], { ...common, stdio }),
  );
  const gate = child.stdio[GATE] as Duplex | undefined;
  gate?.on("error", () => {});
  if (child.pid === undefined) return child;
  const close = (): void => void gate?.destroy();
  // Closed without a word, it ends.
  programWatch.begin(child.pid).then(() => gate?.end("go\n", close), close);
  return child;
}

/** Collects a stream up to a number of bytes; the rest is read and dropped, so that the program is not stopped by it. */
function capture(stream: Readable, maxBytes: number): { text(): string; isCut(): boolean } {
  const parts: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    const room = maxBytes - bytes;
    if (room > 0) parts.push(chunk.subarray(0, room));
    bytes += chunk.length;
  });
  return { text: () => Buffer.concat(parts).toString("utf8"), isCut: () => bytes > maxBytes };
}
