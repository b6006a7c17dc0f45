/**
 * Makes an object of the agent's what was judged, and frozen: opencode runs a call with this very object, and the plugins that
 * come after Cordon's have it, too. Throws if it cannot.
 */
export function hold(own: unknown, judged: object): void {
  if (typeof own !== "object" || own === null) throw new Error("a call whose input is no object");
  for (const name of Reflect.ownKeys(own))
    if (!Reflect.deleteProperty(own, name)) throw new Error("a call whose input cannot be held");
  Object.setPrototypeOf(own, Object.prototype);
  // Defined, not set: a key may be named `__proto__`.
  for (const [name, value] of Object.entries(judged)) Object.defineProperty(own, name, { value, enumerable: true });
  freeze(own);
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
