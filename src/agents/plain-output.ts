import { readJson } from "../../sandbox/wire/read-json.ts";
/** What a tool gave, as hooks and the model see it. */
export interface PlainOutput {
  /** A copy that nothing of the tool's can change any more. */
  value: unknown;
  text: string;
}

/**
 * Reads a tool's output once, as JSON: getters and `toJSON` run now, and what they gave is what hooks judge and the agent gets.
 * Throws for what JSON would lose without a word, such as a stream, a function or bytes: hooks could not see it.
 */
export function plainOutput(output: unknown): PlainOutput {
  if (output === undefined) return { value: undefined, text: "undefined" };
  if (typeof output === "string") return { value: output, text: output };
  const text = JSON.stringify(output, (_name, value: unknown) => judged(value));
  return { value: readJson(text), text };
}

function judged(value: unknown): unknown {
  const lost = lossOf(value);
  if (lost !== undefined) throw new TypeError(`the tool's result has ${lost} in it`);
  return value;
}

/** What JSON would drop or empty, in words. Members that are `undefined` do not count. */
function lossOf(value: unknown): string | undefined {
  if (["function", "symbol", "bigint"].includes(typeof value)) return `a ${typeof value}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return undefined;
  const { name } = Object(prototype).constructor ?? {};
  const isHollow = ArrayBuffer.isView(value) || Object.keys(value).length === 0 || isStream(value);
  return isHollow ? `an object of ${String(name)}` : undefined;
}

const isStream = (value: object): boolean => Symbol.asyncIterator in value || Symbol.iterator in value;
