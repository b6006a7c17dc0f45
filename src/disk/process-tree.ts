import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { statusOf } from "./process-status.ts";

const SHELLS = new Set(["sh", "dash", "bash", "zsh", "ksh", "busybox", "fish", "env"]);

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

/** The process that entered a command for an event, which its shells are between: `pid` is the command's parent. */
export function agentProcess(pid: number): number {
  return ancestorsOf(pid).find((one) => !SHELLS.has(programOf(one))) ?? pid;
}

function parentOf(pid: number): number {
  const text = attemptOr(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]) || 0;
}

const programOf = (pid: number): string => basename(attemptOr(() => readlinkSync(`/proc/${pid}/exe`), ""));
