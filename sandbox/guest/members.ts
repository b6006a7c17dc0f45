import { failure } from "./outcome.ts";
import { isArray } from "./primordials.ts";

/**
 * What a handler returned, read once and turned into plain data. Reading may run the hook's
 * getters: it happens on the hook's time.
 */
export function members(returned: unknown, names: readonly string[], event: string): Record<string, unknown> {
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
  if (Object.keys(found).length === 0 && !isEmpty(returned)) {
    throw failure("BAD_RESULT", `a ${event} handler returned an object with none of: ${names.join(", ")}`);
  }
  return found;
}

/** `{}` is no decision; a Map or a class's object without a known key is a mistake. */
function isEmpty(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return Object.keys(value).length === 0 && (prototype === Object.prototype || prototype === null);
}
