import { readFileSync } from "node:fs";

/** Memory of a process in KB. Shared pages are split among their processes. */
export function proportionalKb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]);
}

/** The peak memory of a process, in KB; `undefined` if it has ended. */
export function peakKb(pid: number): number | undefined {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}
