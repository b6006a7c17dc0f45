import type { DispatchRun } from "./dispatch-run.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Leaving } from "./leaving.ts";

/** It is in its process, or on its way there. */
export const isLoadable = ({ state }: HostedIsolate): boolean => state === "starting" || state === "active";

/** A process that died, as its supervisor knew it. */
interface Death {
  isolates: readonly HostedIsolate[];
  runs: ReadonlyMap<number, DispatchRun>;
  /** The isolate that a fault of its own condemned the process for. */
  condemned: HostedIsolate | undefined;
  leaving: Leaving;
  /** The isolate that it was in last, by its own word. */
  lastEntered: number | undefined;
}

/**
 * Whose doing the death of a process was: a fault says so, else whoever was running; with nobody running, all. None of
 * those that are left if it may have been one that was taken out.
 */
export function culpritsOf({ isolates, runs, condemned, leaving, lastEntered }: Death): readonly HostedIsolate[] {
  if (condemned) return [condemned];
  if (leaving.names.length > 0) return [];
  const running = [...runs.values()].filter((run) => !run.waiting);
  const entered = isolates.find((isolate) => isolate.number === lastEntered);
  if (entered && running.some((run) => run.remaining.length > 1 && run.remaining.includes(entered))) return [entered];
  const known = isolates.filter((isolate) => running.some((run) => run.current === isolate));
  return known.length > 0 ? known : isolates.filter(isLoadable);
}
