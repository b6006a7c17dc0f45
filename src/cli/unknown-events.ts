import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { didYouMean } from "../base/near-names.ts";
import { say } from "./print.ts";

/**
 * Warns about events that no agent sends: a gate for a mistyped event guards nothing. `who`: the hook, as people know it, or where
 * its code names that event.
 */
export function warnOfUnknownEvents(events: readonly string[], who: (event: string) => string): void {
  for (const name of events)
    if (!EVENT_NAMES.includes(name))
      say`careful: ${who(name)} hears ${name}, which no agent sends${didYouMean(name, EVENT_NAMES)}`;
}
