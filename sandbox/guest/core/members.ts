import leven, { closestMatch } from "leven";
import { cut, failure } from "./outcome.ts";
import { isArray } from "./primordials.ts";

/** Longest key of a result in a message. */
const MAX_KEY = 64;

/** The keys that the result of an event may have. */
export interface ResultShape {
  /** The name of the event for its handlers. */
  readonly event: string;
  readonly names: readonly string[];
  /** The keys that decide. An object that has other keys, and none of these, decides nothing. */
  readonly deciding: readonly string[];
  /** Keys that decide nothing here, but are allowed. */
  readonly ignored?: readonly string[];
  /** What a handler sets to decide, where what it returns is ignored. */
  readonly sets?: string;
  /** What to do in place of returning some other keys. */
  readonly instead?: Readonly<Record<string, string>>;
}

/**
 * Reads the return value of a handler once, and returns plain data. Reading may run the hook's getters: it happens on
 * the hook's time. Throws `BAD_RESULT` for an object that is not empty and decides nothing: a mistyped `block` must not
 * let the tool run.
 */
export function members(returned: unknown, shape: ResultShape): Record<string, unknown> {
  const { event, names, deciding, ignored = [] } = shape;
  if (typeof returned !== "object" || returned === null || isArray(returned)) {
    throw failure(
      "BAD_RESULT",
      `a ${event} handler returned ${isArray(returned) ? "an array" : `a ${typeof returned}`}, not an object`,
    );
  }
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const value = (returned as Record<string, unknown>)[name];
    if (value !== undefined) found[name] = value;
  }
  if (deciding.some((name) => name in returned)) return found;
  const keys = Object.keys(returned).filter((key) => !ignored.includes(key));
  if (keys.length > 0) throw failure("BAD_RESULT", `a ${event} handler ${undecided(keys[0] as string, shape)}`);
  if (Object.keys(returned).length === 0 && !isPlain(returned))
    throw failure("BAD_RESULT", `a ${event} handler returned an object with none of: ${names.join(", ")}`);
  return found;
}

/** The message about the first unknown key of a result; `undefined` if all are known. */
export function unknownKeys(returned: object, { event, names, ignored = [] }: ResultShape): string | undefined {
  const unknown = Object.keys(returned).filter((key) => !names.includes(key) && !ignored.includes(key));
  const [first] = unknown;
  return first === undefined ? undefined : `a ${event} handler returned ${unlike(first, names)}`;
}

/**
 * Throws `BAD_RESULT` if an object that a handler changed or returned has an unknown key that looks like a deciding
 * one. The agent itself would ignore such a key, and the tool would run. `names`: all keys that the object may have.
 */
export function checkNames(left: unknown, { event, names, deciding, sets }: ResultShape): void {
  if (typeof left !== "object" || left === null || isArray(left)) return;
  const meant = (key: string): boolean => deciding.some((name) => resembles(key, name));
  const mistyped = Object.keys(left).find((key) => !names.includes(key) && meant(key));
  if (mistyped === undefined) return;
  const said =
    sets === undefined
      ? `left ${unlike(mistyped, names)}`
      : `returned ${JSON.stringify(cut(mistyped, MAX_KEY))}, and what it returns is ignored; set ${sets}`;
  throw failure("BAD_RESULT", `a ${event} handler ${said}`);
}

/** The message about a key beside a decision that looks like one of those left out. It is ignored, as the agent itself would. */
export function mistypedKey(returned: unknown, { event, names, ignored = [] }: ResultShape): string | undefined {
  if (typeof returned !== "object" || returned === null) return undefined;
  const open = names.filter((name) => !(name in returned));
  const isMeant = (key: string): boolean => open.some((name) => resembles(key, name) || isEndOf(key, name));
  const key = Object.keys(returned).find((one) => !names.includes(one) && !ignored.includes(one) && isMeant(one));
  return key === undefined ? undefined : `a ${event} handler returned ${unlike(key, open)}`;
}

/** True if two names differ by at most two letters, or `key` starts with `name`. */
function resembles(key: string, name: string): boolean {
  const [one, other] = [key.toLowerCase(), name.toLowerCase()];
  return key.length <= MAX_KEY && (one.startsWith(other) || leven(one, other) <= 2);
}

/** A name without its first word, as `reason` of `blockReason`. */
const isEndOf = (key: string, name: string): boolean =>
  key.length > 3 && name.toLowerCase().endsWith(key.toLowerCase());

function undecided(key: string, { names, deciding, instead = {} }: ResultShape): string {
  if (Object.hasOwn(instead, key)) return `returned ${key}, which decides nothing; ${instead[key]}`;
  if (names.includes(key)) return `returned ${key} without ${deciding.join(" or ")}, which decides nothing`;
  return `returned ${unlike(key, deciding)}`;
}

const unlike = (key: string, names: readonly string[]): string =>
  `an unknown key ${JSON.stringify(cut(key, MAX_KEY))}; did you mean ${closestMatch(cut(key, MAX_KEY), names)}?`;

/**
 * Whether an object is plain. `{}` decides nothing, but a Map or an object of a class without a known key is a mistake.
 */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  // In any realm, `Object.prototype` is the one without a prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
