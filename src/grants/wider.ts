import { type Capabilities, powersOf } from "./schema.ts";

/** What one set of powers has beyond another, as `power: value`; empty where the other covers it. */
export const widerPowers = (before: Capabilities, now: Capabilities): string[] =>
  Object.entries(powersOf.minus(now, before) ?? {}).map(([power, more]) => `${power}: ${JSON.stringify(more)}`);
