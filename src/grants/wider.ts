import { type Capabilities, powersOf } from "./schema.ts";
import { shownPowers } from "./shown-power.ts";

/** What one set of powers has beyond another, as `power: value`; empty where the other covers it. */
export const widerPowers = (before: Capabilities, now: Capabilities): string[] =>
  shownPowers(powersOf.minus(now, before) ?? {}).map(({ power, text }) => `${power}: ${text}`);
