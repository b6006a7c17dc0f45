import { type ChildProcessByStdio, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { withSealedStdio } from "../sealed-stdio.ts";

export interface ProgramResult {
  stdout: string;
  stderr: string;
  /** The exit code; 128 and the signal's number for a program that a signal ended. */
  code: number;
  /** Ended by its timeout or by the hook's signal. */
  killed: boolean;
}

/** Reason of an abort that gives a program no time to end: the host is closing. */
export const AT_ONCE = Symbol("at once");

/** Time between asking a program to end and ending it. */
const TERM_GRACE_MS = 2000;

/** Runs a program without a shell, with standard input closed, as a process group. Never rejects. */
export function runProgram(
  path: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number; maxOutputBytes: number; signal: AbortSignal },
): Promise<ProgramResult> {
  const posix = process.platform !== "win32";
  return new Promise((resolve) => {
    let settled = false;
    const fail = (): void => {
      if (!settled) resolve({ stdout: "", stderr: "", code: 1, killed: false });
      settled = true;
    };
    const { cwd, env } = options;
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = withSealedStdio(["ignore", "pipe", "pipe"], (stdio) =>
        spawn(path, args, { cwd, env, shell: false, detached: posix, windowsHide: true, stdio }),
      ) as ChildProcessByStdio<null, Readable, Readable>;
    } catch {
      fail();
      return;
    }
    child.on("error", fail);
    // Without descriptors left there is a child without pipes, and an error event still to come.
    if (!child.stdout || !child.stderr) return;
    let killed = false;
    let force: NodeJS.Timeout | undefined;
    const signalGroup = (signal: NodeJS.Signals): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(posix ? -child.pid : child.pid, signal);
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
    const settle = (code: number): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      clearTimeout(force);
      options.signal.removeEventListener("abort", end);
      const isCut = stdout.isCut() || stderr.isCut();
      const note = isCut ? `\ncordon: output cut at ${options.maxOutputBytes} bytes\n` : "";
      resolve({ stdout: stdout.text(), stderr: stderr.text() + note, code, killed });
    };
    child.on("close", (code, signal) => {
      // Grandchildren that were left behind would outlive the hook.
      if (killed) signalGroup("SIGKILL");
      settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** Collects a stream up to a number of bytes; the rest is read and dropped, so that the program is not stopped by it. */
function capture(stream: NodeJS.ReadableStream, maxBytes: number): { text(): string; isCut(): boolean } {
  const parts: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    const room = maxBytes - bytes;
    if (room > 0) parts.push(chunk.subarray(0, room));
    bytes += chunk.length;
  });
  return { text: () => Buffer.concat(parts).toString("utf8"), isCut: () => bytes > maxBytes };
}
