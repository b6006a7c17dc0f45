import type { Capabilities } from "./schema.ts";
import { shownPower } from "./shown-power.ts";

/** What one set of powers has beyond another, as `power: value`; empty where it is the same or narrower. */
export function widerPowers(before: Capabilities, now: Capabilities): string[] {
  return Object.entries(now).flatMap(([power, value]) => {
    const more = beyond((before as Record<string, unknown>)[power], value);
    return more === undefined ? [] : [`${power}: ${shownPower(power, more)}`];
  });
}

/** The part of `now` that `before` does not cover; `undefined` if that is nothing. */
function beyond(before: unknown, now: unknown): unknown {
  if (now === undefined || now === false) return undefined;
  if (before === undefined || before === false) return now;
  if (Array.isArray(now)) {
    if (!Array.isArray(before)) return now;
    if (before.includes("*")) return undefined;
    const known = new Set(before.map((item) => JSON.stringify(item)));
    const more = now.filter((item) => !known.has(JSON.stringify(item)));
    return more.length > 0 ? more : undefined;
  }
  if (typeof now === "object" && now !== null && typeof before === "object" && before !== null) {
    const more = Object.entries(now).flatMap(([key, value]) => {
      const part = beyond((before as Record<string, unknown>)[key], value);
      return part === undefined ? [] : [[key, part]];
    });
    return more.length > 0 ? Object.fromEntries(more) : undefined;
  }
  if (typeof now === "number" && typeof before === "number") return now > before ? now : undefined;
  return now === before ? undefined : now;
}
