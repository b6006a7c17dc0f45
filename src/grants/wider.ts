import { eventsPower, mayBlock } from "../powers/events.ts";
import { guardOf } from "./chosen.ts";
import { limitsOf } from "./limits.ts";
import { type Asks, powersOf } from "./schema.ts";
import { shownPowers } from "./shown-power.ts";

/** What a hook asks for now and did not before, as `power: value`; empty if the old requests cover them. */
export function widerPowers(before: Asks, now: Asks): string[] {
  const limits = limitsOf.minus(now.limits, before.limits);
  const wider: Asks = { ...powersOf.minus(now, before), ...(limits ? { limits } : {}) };
  return shownPowers(wider).map(({ power, text }) => `${power}: ${text}`);
}

/** What a guard no longer hears or stops, as `events: value`; empty if it was no guard, or stays as much of one as it was. */
export function lostGuard(before: Asks, now: Asks): string[] {
  // All that it hears by default is more than it needs.
  const guard = before.events ? guardOf(before) : { see: ["tool_call"], block: true };
  if (!mayBlock(guard) && !guard.guardResult?.length) return [];
  const events = eventsPower.minus(guard, guardOf(now));
  return shownPowers(events ? { events } : {}).map(({ power, text }) => `${power}: ${text}`);
}
