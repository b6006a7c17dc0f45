import { MAX_DEPTH, MAX_MEMBERS, MAX_NAMES } from "../../sandbox/wire/messages.ts";

export class BadJson extends Error {}

/**
 * Parses an attacker's text into values without a prototype, so that no key (`__proto__`, `constructor`) has a meaning.
 * Throws {@link BadJson} for text that is not JSON, is too deep or too large.
 */
export function parseUntrusted(text: string, most = MAX_MEMBERS): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadJson("not JSON");
  }
  const budget = { members: most, most };
  return bare(value, 0, budget);
}

function bare(value: unknown, depth: number, budget: { members: number; most: number }): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) throw new BadJson(`nested deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    budget.members -= value.length;
    if (budget.members < 0) throw new BadJson(`more than ${budget.most} members`);
    for (let at = 0; at < value.length; at++) {
      const item = value[at];
      if (typeof item === "object" && item !== null) value[at] = bare(item, depth + 1, budget);
    }
    return value;
  }
  const names = Object.keys(value);
  if (names.length > MAX_NAMES) throw new BadJson(`an object with more than ${MAX_NAMES} names`);
  budget.members -= names.length;
  if (budget.members < 0) throw new BadJson(`more than ${budget.most} members`);
  const result = Object.create(null);
  for (const name of names) result[name] = bare((value as Record<string, unknown>)[name], depth + 1, budget);
  return result;
}

/** A copy with ordinary prototypes for code outside Cordon. Keys that would reach a prototype are left out. */
export function toPlain<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toPlain) as T;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) if (name !== "__proto__") result[name] = toPlain(member);
  return result as T;
}
