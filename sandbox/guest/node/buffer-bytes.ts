import { checkNumber, checkWhole, isBytes } from "./buffer-checks.ts";
import { ENCODINGS, encodingOf, writeText } from "./buffer-encodings.ts";
import { fault, wrongType } from "./fault.ts";

const { apply } = Reflect;
const { fill, set, subarray, toHex } = Uint8Array.prototype;

/** Bytes that are compared at once, as text, which V8 does itself. */
const COMPARED = 8192;

/** Which of two comes first, byte by byte. */
export function order(one: Uint8Array, other: Uint8Array): -1 | 0 | 1 {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += COMPARED) {
    const [left, right] = [one, other].map((bytes) =>
      apply(toHex, apply(subarray, bytes, [at, Math.min(at + COMPARED, length)]), []),
    ) as [string, string];
    if (left !== right) return left < right ? -1 : 1;
  }
  return Math.sign(one.length - other.length) as -1 | 0 | 1;
}

/** Reads a number as `copy` does, which takes any other value for 0. */
function startOf(given: unknown, argument: string, most?: number): number {
  const start = Math.trunc(given as number) || 0;
  checkNumber(start, argument, 0, most);
  return start;
}

/** Copies as much as there is room for, and returns how much. The further arguments are those of `copy`. */
export function copyBytes(from: Uint8Array, to: unknown, ...[given, begin, end]: unknown[]): number {
  if (!ArrayBuffer.isView(to)) throw wrongType("target", "an instance of Buffer or Uint8Array");
  const target = startOf(given, "targetStart");
  const first = startOf(begin, "sourceStart", from.length);
  const last = end === undefined ? from.length : startOf(end, "sourceEnd");
  if (target >= to.byteLength || first >= last) return 0;
  const part: Uint8Array = apply(subarray, from, [first, Math.min(last, first + to.byteLength - target)]);
  apply(set, new Uint8Array(to.buffer, to.byteOffset, to.byteLength), [part, target]);
  return part.length;
}

/** Repeats bytes from one place to another. */
function repeat(into: Uint8Array, part: Uint8Array, start: number, end: number): void {
  const all: Uint8Array = apply(subarray, into, [start, end]);
  all.set(apply(subarray, part, [0, all.length]));
  for (let done = part.length; done < all.length; done *= 2) all.copyWithin(done, 0, done);
}

interface Filling {
  offset: unknown;
  end: unknown;
  encoding: unknown;
}

/** The arguments of `fill` after a text, of which the encoding may be any. */
function fillingOf([offset, end, encoding]: readonly unknown[]): Filling {
  if (offset === undefined || typeof offset === "string")
    return { offset: undefined, end: undefined, encoding: offset };
  return typeof end === "string" ? { offset, end: undefined, encoding: end } : { offset, end, encoding };
}

function textToFill(text: string, encoding: unknown): Uint8Array | 0 {
  if (encoding !== undefined && typeof encoding !== "string") throw wrongType("encoding", "of type string");
  const read = encodingOf(encoding || undefined);
  return text === "" ? 0 : read.bytesOf(text);
}

export function fillBytes(into: Uint8Array, value: unknown, ...rest: readonly unknown[]): void {
  const isText = typeof value === "string";
  const {
    offset = 0,
    end,
    encoding,
  } = isText ? fillingOf(rest) : { offset: rest[0], end: rest[1], encoding: undefined };
  const part = isText ? textToFill(value, encoding) : value;
  checkWhole(offset, "offset");
  const last = end === undefined || rest[0] === undefined ? into.length : end;
  checkWhole(last, "end", 0, into.length);
  if (offset >= last) return;
  if (!isBytes(part)) apply(fill, into, [(part as number) & 255, offset, last]);
  else if (part.length > 0) repeat(into, part, offset, last);
  else throw fault(TypeError, "ERR_INVALID_ARG_VALUE", `The argument "value" is invalid. Received ${String(value)}`);
}

/** The arguments of `write`, of which all but the text may be left out. */
export function written(into: Uint8Array, text: unknown, ...[offset, length, name]: unknown[]): number {
  if (typeof text !== "string") throw wrongType("argument", "of type string");
  const size = into.length;
  if (offset === undefined) return writeText(into, ENCODINGS.utf8, text, 0, size);
  if (length === undefined && typeof offset === "string")
    return writeText(into, encodingOf(offset || undefined), text, 0, size);
  checkWhole(offset, "offset", 0, size);
  const room = size - offset;
  if (length === undefined) return writeText(into, encodingOf(name || undefined), text, offset, room);
  if (typeof length === "string") return writeText(into, encodingOf(length || undefined), text, offset, room);
  checkWhole(length, "length", 0, size);
  return writeText(into, encodingOf(name || undefined), text, offset, Math.min(length, room));
}

/** Turns the bytes of each group around. */
export function swapped<Bytes extends Uint8Array>(bytes: Bytes, size: number): Bytes {
  if (bytes.length % size !== 0)
    throw fault(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
  for (let at = 0; at < bytes.length; at += size)
    for (let left = at, right = at + size - 1; left < right; left++, right--) {
      const byte = bytes[left] as number;
      bytes[left] = bytes[right] as number;
      bytes[right] = byte;
    }
  return bytes;
}
