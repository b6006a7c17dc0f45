/** Values of SQLite as JSON. For both ends of what {@link ./database.ts} declares; the host needs none of it. */
import type { WireValue } from "./database.ts";

export function toWire(value: unknown): WireValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : { number: Object.is(value, -0) ? "-0" : String(value) };
  if (typeof value === "bigint") return { integer: String(value) };
  if (!ArrayBuffer.isView(value)) return { type: typeof value };
  return { bytes: new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength).toBase64() };
}

/** What stands for values of other types. */
const OTHERS: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  ["symbol", () => Symbol("no value")],
  ["object", () => ({})],
  ["function", () => () => {}],
]);

export function fromWire(value: WireValue): unknown {
  if (value === null || typeof value !== "object") return value;
  if ("integer" in value) return BigInt(value.integer);
  if ("number" in value) return Number(value.number);
  if ("bytes" in value) return Uint8Array.fromBase64(value.bytes);
  return OTHERS.get(value.type)?.();
}
