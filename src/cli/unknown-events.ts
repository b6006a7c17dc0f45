import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import { OPENCLAW_HOOKS } from "../../sandbox/wire/openclaw-hooks.ts";
import { meant, nearNames } from "../base/near-names.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { sayMarked } from "./print.ts";

/** A name under which a hook waits for what no agent sends: a gate for a mistyped event guards nothing. */
export interface UnknownEvent {
  name: string;
  /** What a person may have meant, as the dialect calls it. */
  near: readonly string[];
  /** The events of these. */
  events: readonly string[];
}

/** What a person may have meant. pi's extensions have names of their own for what happens to a session. */
const nearEvents = (name: string): string[] =>
  name.startsWith("session_") ? ["session"] : nearNames(name, EVENT_NAMES);

/** The same, for a message. */
export const meantBy = (name: string): string => meant(nearEvents(name));

/** The unknown events of a hook. OpenClaw has more plugin hooks than Cordon's events: those that look like none of ours are its own. */
export function unknownEvents({
  events,
  unsupported = [],
  dialect,
}: Pick<HookInfo, "events" | "unsupported" | "dialect">): UnknownEvent[] {
  const unknown = events.filter((name) => !EVENT_NAMES.includes(name));
  const plugin = dialect === "openclaw" ? unsupported : [];
  return [
    ...unknown.map((name) => ({ name, near: nearEvents(name), events: nearEvents(name) })),
    ...plugin.flatMap((name) => {
      const near = nearNames(name, Object.values(OPENCLAW_HOOKS).flat());
      const types = Object.entries(OPENCLAW_HOOKS).filter(([, names]) => names.some((one) => near.includes(one)));
      return near.length === 0 ? [] : [{ name, near, events: types.map(([type]) => type) }];
    }),
  ];
}

/** Says it for a message, as the end of a sentence about the hook. */
export const unknownText = ({ name, near }: UnknownEvent): string =>
  `hears ${name}, which no agent sends${meant(near)}`;

/** Warns about them. `who`: the hook, as people know it, or where its code names that event. */
export function warnOfUnknownEvents(unknown: readonly UnknownEvent[], who: (event: string) => string): void {
  for (const one of unknown) sayMarked`careful: ${who(one.name)} ${unknownText(one)}`;
}
