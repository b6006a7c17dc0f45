import { readFileSync } from "node:fs";
import { attemptOr } from "../base/attempt.ts";

/** Linux counts CPU time in ticks of a hundredth of a second, whatever the kernel's own clock. */
const MS_PER_TICK = 10;

/** What `/proc` says of a process. */
export interface ProcessStatus {
  state: string;
  /** Ticks from boot to its start. */
  started: string;
  /** CPU time that all its threads have used, in ms. */
  cpuMs: number;
}

/** `undefined` if there is no `/proc`, or it does not show this process. */
export function statusOf(pid: number): ProcessStatus | undefined {
  const text = attemptOr(() => readFileSync(`/proc/${pid}/stat`, "latin1"), undefined);
  if (text === undefined) return undefined;
  // The program's name, in parentheses, may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  return { state: fields[0] ?? "", started: fields[19] ?? "", cpuMs };
}
