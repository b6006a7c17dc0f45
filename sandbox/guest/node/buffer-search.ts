import { isBytes } from "./buffer-checks.ts";
import { ENCODINGS, encodingNamed, encodingOf } from "./buffer-encodings.ts";
import { wrongType } from "./fault.ts";

const { indexOf, lastIndexOf, subarray } = Uint8Array.prototype;
const { apply } = Reflect;

/** Where a search begins, or -1 if nothing can be found from there. `size`: of what is searched. */
function startOf(length: number, offset: number, size: number, isForward: boolean): number {
  if (offset < 0) {
    if (offset + length >= 0) return length + offset;
    return isForward || size === 0 ? 0 : -1;
  }
  if (offset + size <= length) return offset;
  if (size === 0) return length;
  return isForward ? -1 : length - 1;
}

function isAt(bytes: Uint8Array, part: Uint8Array, place: number): boolean {
  for (let at = 1; at < part.length; at++) if (bytes[place + at] !== part[at]) return false;
  return true;
}

/** @param width of a character, in bytes. Those of two begin at even places, and half of one is no part of what is searched. */
function placeOf(all: Uint8Array, what: Uint8Array, offset: number, width: 1 | 2, isForward: boolean): number {
  const [bytes, part] = width === 1 ? [all, what] : ([all, what].map(halved) as [Uint8Array, Uint8Array]);
  // The half of a character at the end counts for where it begins.
  const { length } = all;
  const start = startOf(length, offset, what.length, isForward);
  if (what.length === 0) return start;
  if (start < 0 || part.length === 0 || what.length > length || (isForward && what.length + start > length)) return -1;
  for (let place = Math.min(start - (start % width), bytes.length - part.length); ; place += isForward ? 1 : -1) {
    place = place < 0 ? -1 : apply(isForward ? indexOf : lastIndexOf, bytes, [part[0], place]);
    if (place < 0 || (place % width === 0 && isAt(bytes, part, place))) return place;
  }
}

const halved = (bytes: Uint8Array): Uint8Array => apply(subarray, bytes, [0, bytes.length & ~1]);

/** An offset as a whole number of 32 bits. `otherwise`: for a value that is not a number. */
function offsetOf(given: unknown, otherwise: number): number {
  const offset = Math.trunc(Math.max(-0x80000000, Math.min(0x7fffffff, +(given as number))));
  return Number.isNaN(offset) ? otherwise : offset;
}

function find(bytes: Uint8Array, what: unknown, given: unknown, name: unknown, isForward: boolean): number {
  const [from, encodingName] = typeof given === "string" ? [undefined, given] : [given, name];
  const offset = offsetOf(from, isForward ? 0 : bytes.length);
  if (typeof what === "number") return placeOf(bytes, new Uint8Array([what]), offset, 1, isForward);
  const encoding = typeof what === "string" ? encodingOf(encodingName) : encodingNamed(encodingName);
  const part = typeof what === "string" ? encoding?.bytesOf(what) : what;
  if (!isBytes(part)) throw wrongType("value", "one of type number or string or an instance of Buffer or Uint8Array");
  return placeOf(bytes, part, offset, encoding === ENCODINGS.ucs2 ? 2 : 1, isForward);
}

/** The methods that search. */
export const searchMethods = () => ({
  indexOf(this: Uint8Array, what: unknown, offset?: unknown, encoding?: unknown): number {
    return find(this, what, offset, encoding, true);
  },
  lastIndexOf(this: Uint8Array, what: unknown, offset?: unknown, encoding?: unknown): number {
    return find(this, what, offset, encoding, false);
  },
  includes(this: Uint8Array, what: unknown, offset?: unknown, encoding?: unknown): boolean {
    return find(this, what, offset, encoding, true) !== -1;
  },
});
