/** How a program of a hook ended, as Node tells it. */
import type { ProgramResult } from "../../wire/answers.ts";
import type { ArgumentsOf } from "../../wire/operations.ts";
import { fault } from "./fault.ts";

/** The host reports a signal as an exit code above 128. */
const SIGNALS: Record<number, string> = {
  130: "SIGINT",
  134: "SIGABRT",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
};
export const signalOf = ({ code, killed }: ProgramResult): string | null =>
  killed || code > 128 ? (SIGNALS[code] ?? null) : null;
export const statusOf = (result: ProgramResult): number | null => (signalOf(result) === null ? result.code : null);

/** `end`: what Node puts behind the command where the program said nothing. */
export function failure(file: string, args: readonly string[], result: ProgramResult, more: object, end = ""): Error {
  const command = [file, ...args].join(" ");
  return Object.assign(new Error(`Command failed: ${command}${result.stderr ? `\n${result.stderr}` : end}`), {
    code: statusOf(result),
    status: statusOf(result),
    signal: signalOf(result),
    killed: result.killed,
    cmd: command,
    ...more,
  });
}

/** What Node says of a program that is not there. `how`: the function that starts it. */
export function notThere(how: "spawn" | "spawnSync", [path, args]: ArgumentsOf<"exec">): Error {
  const syscall = `${how} ${path}`;
  return Object.assign(fault(Error, "ENOENT", `${syscall} ENOENT`), { errno: -2, syscall, path, spawnargs: args });
}

/** A shell starts, and says itself that there is no such program. */
export function answered(
  { missing, ...result }: ProgramResult,
  [file]: ArgumentsOf<"exec">,
  { shell }: { shell?: unknown },
): ProgramResult {
  if (!missing) return result;
  return shell ? { ...result, code: 127, stderr: `/bin/sh: 1: ${file}: not found\n` } : { ...result, missing };
}
