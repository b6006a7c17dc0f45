import { readFileSync } from "node:fs";

/** Memory of a process in KB, shared pages split among those who share them. */
export function proportionalKb(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]);
}

/** The most memory a process ever had, in KB; `undefined` once it is gone. */
export function peakKb(pid: number): number | undefined {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}
