/** What of a message no model reads: anything may be in it. */
const NOT_READ = new Set<PropertyKey>(["artifact"]);

/** A class of LangChain's: a message, a command, or what a node is handed. */
const isOfLangChain = (value: object): boolean => "lc_namespace" in value || "lg_name" in value;

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));

/**
 * A copy of a tool's reply: of messages, commands, and the lists and plain objects in them. Other objects have members of their own
 * making, and stay themselves. Throws a `RangeError` for what is nested too deep.
 */
export function copyOf<Value>(value: Value, known = new Map<unknown, unknown>()): Value {
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value))
    return Buffer.isBuffer(value) ? (Buffer.from(value) as Value & Buffer) : structuredClone(value);
  if (!Array.isArray(value) && !isPlain(value) && !isOfLangChain(value)) return value;
  const before = known.get(value);
  if (before !== undefined) return before as Value;
  const copy = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
  known.set(value, copy);
  for (const name of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name) as PropertyDescriptor;
    if (Array.isArray(value) && name === "length") continue;
    // `__proto__` is a name like any other.
    if ("value" in property && !NOT_READ.has(name)) property.value = copyOf(property.value, known);
    Object.defineProperty(copy, name, property);
  }
  return copy;
}
