import { limitsOf } from "./limits.ts";
import { type Asks, powersOf } from "./schema.ts";
import { shownPowers } from "./shown-power.ts";

/** What a hook asks for now and did not before, as `power: value`; empty if the old requests cover them. */
export function widerPowers(before: Asks, now: Asks): string[] {
  const limits = limitsOf.minus(now.limits, before.limits);
  const wider: Asks = { ...powersOf.minus(now, before), ...(limits ? { limits } : {}) };
  return shownPowers(wider).map(({ power, text }) => `${power}: ${text}`);
}
