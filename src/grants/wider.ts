import { type EventsGrant, eventsPower, mayBlock, sees } from "../powers/events.ts";
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

/** Events that hooks refuse or change. */
const GUARDED = ["tool_call", "tool_result", "permission_request", "user_bash"];

/** Of events that a hook had handlers for, those that it refused or changed and hears no more. */
export const lostHandlers = (before: readonly string[], now: readonly string[]): string[] =>
  before.filter((event) => GUARDED.includes(event) && !now.includes(event));

/** What a hook was granted of events, without those that it can only observe. */
const guarded = (events: EventsGrant): EventsGrant => ({
  ...events,
  block: mayBlock(events),
  see: GUARDED.filter((type) => sees(events, type)),
});

/** What it may refuse and change, if that is anything. All that it hears by default is more than it needs. */
function guardIn({ events }: Asks): EventsGrant | undefined {
  const guard = guarded(events ?? { see: ["tool_call"], block: true });
  const { see: _see, ...rights } = guard;
  return Object.values(rights).some((right) => (Array.isArray(right) ? right.length > 0 : right)) ? guard : undefined;
}

/** True for a hook that asks for a right to refuse or to change something. */
export const isGuard = (asks: Asks): boolean => guardIn(asks) !== undefined;

/** What a guard no longer refuses or changes, as `events: value`; empty if it was no guard, or stays as much of one as it was. */
export function lostGuard(before: Asks, now: Asks): string[] {
  const guard = guardIn(before);
  if (!guard) return [];
  const lost = eventsPower.minus(guard, guarded(now.events ?? guardOf(now)));
  if (!lost) return [];
  const { block: loses, ...others } = lost;
  const events = { ...others, ...(loses ? { block: true } : {}) } as EventsGrant;
  return shownPowers({ events }).map(({ power, text }) => `${power}: ${text}`);
}
