import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { statusOf } from "./process-status.ts";

const SHELLS = new Set(
  ["sh", "dash", "bash", "zsh", "ksh", "csh", "tcsh", "fish", "nu", "elvish", "pwsh"].concat(["busybox", "env"]),
);

/** Most ancestors that are looked at: a process cannot have as many without meaning to. */
const MAX_DEPTH = 64;

/** A process and the moment it began, since numbers are used again. Without `/proc`, its number alone. */
export const processName = (pid: number): string => `${pid}-${statusOf(pid)?.started ?? ""}`;

/** The ancestors of a process, itself first, as far as `/proc` shows them. */
export function ancestorsOf(pid: number): number[] {
  const found: number[] = [];
  for (let at = pid; at > 1 && found.length < MAX_DEPTH; at = parentOf(at)) found.push(at);
  return found;
}

/**
 * The process that entered a command for an event, which its shells are between; `undefined` if a person typed it, into a shell
 * that is a terminal's first. `pid` is the command's parent.
 */
export function agentProcess(pid: number): number | undefined {
  const all = ancestorsOf(pid);
  const at = all.findIndex((one) => !SHELLS.has(programOf(one)) || isFirstOfTerminal(one));
  const found = all[at];
  if (found === undefined) return pid;
  // What stands between is a script, which is the agent then.
  return SHELLS.has(programOf(found)) ? all[at - 1] : found;
}

/** Its parent, its session and the session's terminal; nothing of a process that `/proc` does not show. */
function factsOf(pid: number): { parent: number; session: number; terminal: number } {
  const text = attemptOr(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  const [, parent, , session, terminal] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  return { parent: parent || 0, session: session || 0, terminal: terminal || 0 };
}

const parentOf = (pid: number): number => factsOf(pid).parent;

function isFirstOfTerminal(pid: number): boolean {
  const { session, terminal } = factsOf(pid);
  return session === pid && terminal !== 0;
}

const programOf = (pid: number): string => basename(attemptOr(() => readlinkSync(`/proc/${pid}/exe`), ""));
