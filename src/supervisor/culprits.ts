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
 * Which hooks caused a crash: the one that a fault names, else those that were running, else all. If a hook that was just
 * taken out may have caused it, no other hook is blamed.
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
