import { type Capabilities, powersOf } from "./schema.ts";
import { shownPowers } from "./shown-power.ts";

/** The powers that a hook asks for now and did not before, as `power: value`; empty if the old ones cover them. */
export const widerPowers = (before: Capabilities, now: Capabilities): string[] =>
  shownPowers(powersOf.minus(now, before) ?? {}).map(({ power, text }) => `${power}: ${text}`);
