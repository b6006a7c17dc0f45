/** Programs that a hook runs, by made-up numbers: those of the host's processes are not a hook's to know. */

interface Child {
  kill(): boolean;
}

/** No process of Linux has a number above this. */
const MOST_PID = 4_194_304;

const running = new Map<number, Child>();
let last = MOST_PID;

/** A number for a program that has ended. */
export const nextPid = (): number => ++last;

/** A number by which a program is known while it runs. */
export function enter(child: Child): number {
  const pid = nextPid();
  running.set(pid, child);
  return pid;
}

export const leave = (pid: number): void => void running.delete(pid);

/** A program that runs, by its number or that of its group. */
export const runningAs = (pid: unknown): Child | undefined =>
  typeof pid === "number" ? running.get(Math.abs(pid)) : undefined;
