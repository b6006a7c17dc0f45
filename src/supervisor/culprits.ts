import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Leaving } from "./leaving.ts";
import type { Task } from "./task.ts";

/** It is in its process, or on its way there. */
export const isLoadable = ({ state }: HostedIsolate): boolean => state === "starting" || state === "active";

/** What a supervisor knew about a process when it died. */
interface Death {
  isolates: readonly HostedIsolate[];
  tasks: readonly Task[];
  /** The isolate whose own fault made the supervisor kill the process. */
  condemned: HostedIsolate | undefined;
  leaving: Leaving;
  /** The isolate that the process entered last, as it noted before each entry if it has several. */
  lastEntered: number | undefined;
}

/**
 * Which hooks caused a crash: the one that a fault names, else the one that was entered last, as by a timer of its own, else those that
 * were running, else all. If a hook that was just removed may have caused it, no other hook is blamed.
 */
export function culpritsOf({ isolates, tasks, condemned, leaving, lastEntered }: Death): readonly HostedIsolate[] {
  if (condemned) return [condemned];
  if (leaving.names.length > 0) return [];
  const entered = isolates.find((isolate) => isolate.number === lastEntered);
  if (entered && isLoadable(entered)) return [entered];
  const running = tasks.filter((task) => !task.waiting);
  const known = isolates.filter((isolate) => running.some(({ current }) => current === isolate));
  return known.length > 0 ? known : isolates.filter(isLoadable);
}
