/**
 * Puts what hooks judged into the object that pi runs, and freezes it whole: a handler of another extension that runs later
 * could change it otherwise. Throws for an object that cannot take it.
 */
export function putFrozen(target: object, judged: Readonly<Record<string, unknown>>): void {
  for (const name of Reflect.ownKeys(target)) {
    if (!Reflect.deleteProperty(target, name)) throw new TypeError(`the tool's ${String(name)} cannot be replaced`);
  }
  for (const [name, value] of Object.entries(judged)) {
    if (!Reflect.defineProperty(target, name, { value: frozen(value), enumerable: true }))
      throw new TypeError(`the tool's ${name} cannot be replaced`);
  }
  Object.freeze(target);
}

/** Freezes plain data. */
function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
