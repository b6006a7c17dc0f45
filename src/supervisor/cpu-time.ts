import { readFileSync } from "node:fs";

/** Linux counts CPU time in ticks of a hundredth of a second, whatever the kernel's own clock. */
const MS_PER_TICK = 10;

/** CPU time a process has used, all threads, in ms; `undefined` where there is no `/proc` or the process is gone. */
export function cpuTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses and may hold anything but the last ")".
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}
