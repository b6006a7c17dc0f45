import { type EventsGrant, eventsPower, guarding, mayBlock } from "../powers/events.ts";
import { defaultCapabilities } from "./grant.ts";
import type { Asks, Capabilities } from "./schema.ts";

/**
 * How a hook that a person accepted hears and blocks, whatever else they chose: as its manifest asks for it, and without a
 * request all of pi's events.
 */
export const guardOf = (asks: Capabilities | undefined): EventsGrant =>
  asks?.events ? guarding(asks.events) : { see: ["*"], block: true };

/** The powers of an accepted hook, from its entry. An entry without `events` leaves it what makes it a guard. */
export const acceptedPowers = (asks: Capabilities | undefined, powers: Capabilities | undefined): Capabilities =>
  structuredClone({ ...powers, events: powers?.events ?? guardOf(asks) });

/** What a person may give a hook when they accept it. One that names no powers may have what the user's own hooks have. */
export const offeredTo = (asks: Asks, namesPowers: boolean): Asks =>
  namesPowers ? asks : { ...defaultCapabilities(), ...asks };

/** The names of powers beyond what makes a hook a guard. */
export const beyondGuard = (powers: Capabilities): string[] =>
  Object.entries(powers)
    .filter(([name, value]) => value !== undefined && !(name === "events" && isGuard(value as EventsGrant)))
    .map(([name]) => name);

const isGuard = (events: EventsGrant): boolean => eventsPower.covers(guarding(events), events);

/** What a hook with these powers may do about events, in words. */
export function mayDo({ events, ui }: Capabilities): string {
  const deeds = [
    ...((events?.see.length ?? 0) > 0 ? ["hear"] : []),
    ...(ui?.length ? ["ask"] : []),
    ...(mayBlock(events) ? ["block"] : []),
    ...(events?.guardResult?.length ? ["withhold results"] : []),
    ...(events?.cancel ? ["cancel"] : []),
  ];
  const last = deeds.pop();
  if (last === undefined) return "it may do nothing";
  return `it may ${deeds.length > 0 ? `${deeds.join(", ")} and ` : ""}${last}`;
}
