import { MAX_DEPTH } from "../../sandbox/wire/messages.ts";

/** Says why a value is not plain JSON, and where. */
export class NotPlain extends Error {}

/**
 * Copies a value into plain objects and arrays, for hooks to judge and for the tool to run. Throws {@link NotPlain} for
 * everything that JSON would change, since a hook would then see something else than the tool. Runs no getter.
 */
export function plainCopy(value: unknown, at = "input", depth = 0, above?: Above): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") {
    // Hooks would see another character instead.
    if (!value.isWellFormed()) throw new NotPlain(`${at} has half of a character in it`);
    return value;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value) || Object.is(value, -0))
      throw new NotPlain(`${at} is ${Object.is(value, -0) ? "-0" : value}`);
    return value;
  }
  if (typeof value !== "object")
    throw new NotPlain(`${at} is ${value === undefined ? "undefined" : `a ${typeof value}`}`);
  if (depth >= MAX_DEPTH) throw new NotPlain(`${at} is nested deeper than ${MAX_DEPTH}`);
  for (let one = above; one; one = one.above)
    if (one.value === value) throw new NotPlain(`${at} refers back to itself`);
  const inside = { value, above };
  if (Array.isArray(value)) {
    if (Object.getPrototypeOf(value) !== Array.prototype) throw new NotPlain(`${at} is an array of a class of its own`);
    const names = Reflect.ownKeys(value);
    if (names.length !== value.length + 1) throw new NotPlain(`${at} is an array with holes or names`);
    return Array.from({ length: value.length }, (_, index) =>
      plainCopy(own(value, String(index), at), `${at}[${index}]`, depth + 1, inside),
    );
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotPlain(`${at} is not a plain object`);
  const copy: Record<string, unknown> = {};
  for (const name of Reflect.ownKeys(value)) {
    if (typeof name === "symbol") throw new NotPlain(`${at} has a symbol as key`);
    if (name === "__proto__") throw new NotPlain(`${at} has a key named __proto__`);
    if (!name.isWellFormed()) throw new NotPlain(`${at} has a key with half of a character in it`);
    copy[name] = plainCopy(own(value, name, at), `${at}.${name}`, depth + 1, inside);
  }
  return copy;
}

/** The objects that a value is in. */
interface Above {
  readonly value: object;
  readonly above: Above | undefined;
}

function own(holder: object, name: string, at: string): unknown {
  const property = Object.getOwnPropertyDescriptor(holder, name);
  if (!property) throw new NotPlain(`${at} is an array with holes or names`);
  if (!("value" in property)) throw new NotPlain(`${at}.${name} is a getter`);
  if (!property.enumerable) throw new NotPlain(`${at}.${name} is hidden from enumeration`);
  return property.value;
}
