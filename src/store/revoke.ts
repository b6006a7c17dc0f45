import { defaultCapabilities, type GrantEntry } from "../grants/grant.ts";
import { tighter, widerLimits } from "../grants/limits.ts";
import type { Capabilities } from "../grants/schema.ts";
import { guarding } from "../powers/events.ts";
import type { DecisionLog } from "./decision-log.ts";
import { changeGrant } from "./grants-file.ts";

/** Powers without one of them, or without all of them. What makes a hook a guard stays. */
export function without(powers: Capabilities, power: string | undefined): Capabilities {
  const taken = power === undefined ? Object.keys(powers).filter((one) => one !== "events") : [power];
  const left: Capabilities = Object.fromEntries(Object.entries(powers).filter(([one]) => !taken.includes(one)));
  // An entry without `events` gives the default powers.
  if (powers.events) left.events = taken.includes("events") ? guarding(powers.events) : powers.events;
  return left;
}

/** An entry without a power (or `limits`), or without all powers. */
export function entryWithout(entry: GrantEntry, power: string | undefined): GrantEntry {
  const { capabilities, limits, ...rest } = entry;
  const powers = capabilities ?? defaultCapabilities();
  // One that names no powers goes on giving the default ones.
  const isUsual = capabilities === undefined && power !== undefined && !Object.hasOwn(powers, power);
  const left = power === undefined || power === "limits" ? tighter(limits ?? {}) : limits;
  return {
    ...rest,
    ...(isUsual ? {} : { capabilities: without(powers, power) }),
    ...(left && Object.keys(left).length > 0 ? { limits: left } : {}),
  };
}

/**
 * Takes a power (or `limits`), or all powers, from a hook's entry in a grants file. Returns the names of what the entry had: the default
 * powers if it names none, or if there is no entry.
 */
export function revokeIn(path: string, key: string, power: string | undefined, log?: DecisionLog): string[] {
  let had: string[] = [];
  changeGrant(
    path,
    key,
    (now = {}) => {
      const limits = widerLimits(now.limits) ? ["limits"] : [];
      had = [...Object.keys(now.capabilities ?? defaultCapabilities()), ...limits];
      return { ...entryWithout(now, power), revokedAt: new Date().toISOString() };
    },
    log ? { log } : {},
  );
  return had;
}
