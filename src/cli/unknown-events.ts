import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { didYouMean } from "../base/near-names.ts";
import { say } from "./print.ts";

/** What a person may have meant. pi's extensions have names of their own for what happens to a session. */
export const meantBy = (name: string): string =>
  name.startsWith("session_") ? "; did you mean session?" : didYouMean(name, EVENT_NAMES);

/**
 * Warns about events that no agent sends: a gate for a mistyped event guards nothing. `who`: the hook, as people know it, or where
 * its code names that event.
 */
export function warnOfUnknownEvents(events: readonly string[], who: (event: string) => string): void {
  for (const name of events)
    if (!EVENT_NAMES.includes(name)) say`careful: ${who(name)} hears ${name}, which no agent sends${meantBy(name)}`;
}
