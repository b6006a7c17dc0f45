/** `zlib.crc32`. */
import { fault, wrongType } from "./fault.ts";
import { bytesOf } from "./wire-data.ts";

let table: Uint32Array | undefined;

/** The remainder of each byte, by the polynomial of IEEE 802.3 with its bits reversed. */
const remainders = (): Uint32Array =>
  Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });

/** @param value the checksum of what came before */
export function crc32(data: unknown, value = 0): number {
  const bytes = data instanceof ArrayBuffer ? undefined : bytesOf(data);
  if (!bytes) throw wrongType("data", "of type string or an instance of Buffer, TypedArray, or DataView");
  if (typeof value !== "number") throw wrongType("value", "of type number");
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff)
    throw fault(RangeError, "ERR_OUT_OF_RANGE", `The value of "value" is out of range. Received ${value}`);
  table ??= remainders();
  let rest = ~value;
  for (const byte of bytes) rest = (rest >>> 8) ^ (table[(rest ^ byte) & 0xff] as number);
  return ~rest >>> 0;
}
