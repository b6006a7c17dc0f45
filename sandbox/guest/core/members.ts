import leven, { closestMatch } from "leven";
import { cut, failure } from "./outcome.ts";
import { isArray } from "./primordials.ts";

/** Longest key of a result that a message names. */
const MAX_KEY = 64;

/** What the result of an event may hold. */
export interface ResultShape {
  /** The event, as its handlers know it. */
  readonly event: string;
  readonly names: readonly string[];
  /** One of these says what is to happen: an object that has other keys and none of these says nothing. */
  readonly deciding: readonly string[];
  /** Keys that decide nothing here, and are no mistake. */
  readonly ignored?: readonly string[];
}

/**
 * What a handler returned, read once and turned into plain data. Reading may run the hook's getters: it happens on the
 * hook's time. Throws `BAD_RESULT` for an object that decides nothing and yet is not empty: to take a mistyped `block`
 * for leave to run would open the gate.
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

/** Keys of a result that mean nothing to its event, in words; `undefined` where there are none. */
export function unknownKeys(returned: object, { event, names, ignored = [] }: ResultShape): string | undefined {
  const unknown = Object.keys(returned).filter((key) => !names.includes(key) && !ignored.includes(key));
  const [first] = unknown;
  return first === undefined ? undefined : `a ${event} handler returned ${unlike(first, names)}`;
}

/**
 * Throws `BAD_RESULT` for what a handler left on an object that it decides by, or returned, under a name that is nearly one
 * of those that decide: the agent's own would pass over it, and the gate would be open. `names`: all that it may hold.
 */
export function checkNames(left: unknown, { event, names, deciding }: ResultShape): void {
  if (typeof left !== "object" || left === null || isArray(left)) return;
  const meant = (key: string): boolean => deciding.some((name) => resembles(key, name));
  const mistyped = Object.keys(left).find((key) => !names.includes(key) && meant(key));
  if (mistyped !== undefined) throw failure("BAD_RESULT", `a ${event} handler left ${unlike(mistyped, deciding)}`);
}

/** A letter or two off, or the same word in another form. */
function resembles(key: string, name: string): boolean {
  const [one, other] = [key.toLowerCase(), name.toLowerCase()];
  return key.length <= MAX_KEY && (one.startsWith(other) || leven(one, other) <= 2);
}

const undecided = (key: string, { names, deciding }: ResultShape): string =>
  names.includes(key)
    ? `returned ${key} without ${deciding.join(" or ")}, which decides nothing`
    : `returned ${unlike(key, deciding)}`;

const unlike = (key: string, names: readonly string[]): string =>
  `an unknown key ${JSON.stringify(cut(key, MAX_KEY))}; did you mean ${closestMatch(cut(key, MAX_KEY), names)}?`;

/** `{}` is no decision; a Map or a class's object without a known key is a mistake. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  // Of whichever realm: what stands above it is nothing.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
