import { MAX_DEPTH, MAX_MEMBERS, MAX_NAMES } from "../../sandbox/wire/messages.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { endOfString } from "../../sandbox/wire/walk-json.ts";

export class BadJson extends Error {}

/** No shorter text takes longer to parse than to look at twice. */
const LONG = 100_000;

/**
 * Parses an attacker's text into values without a prototype, so that no key (`__proto__`, `constructor`) has a meaning.
 * Throws {@link BadJson} for text that is not JSON, is too deep or too large.
 */
export function parseUntrusted(text: string, most = MAX_MEMBERS): unknown {
  if (text.length > LONG) refuseCrowded(text, most);
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    throw new BadJson("not JSON");
  }
  const budget = { members: most, most };
  return bare(value, 0, budget);
}

/**
 * Throws for a text that has too many members, or is too deep, without making them: V8 takes up to two seconds for 8 MB of nothing else.
 * Of JSON, each comma and each bracket but the first stands for a member; what is no JSON is refused as well.
 */
function refuseCrowded(text: string, most: number): void {
  let commas = 0;
  let opened = -1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === COMMA) commas++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      opened++;
      depth++;
      // One more, since a value that is empty may be that deep.
      if (depth > MAX_DEPTH + 1) throw new BadJson(`nested deeper than ${MAX_DEPTH}`);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else continue;
    if (commas > most || opened > most) throw new BadJson(`more than ${most} members`);
  }
}

const [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'",[]{}'].map((one) => one.charCodeAt(0));

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
