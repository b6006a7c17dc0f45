import { byteLengthOf, bytesOfText, textOfBytes } from "../realm/conversions.ts";
import { shortBytesOf, shortTextOf } from "./buffer-utf8.ts";
import { fault } from "./fault.ts";

const { fromBase64, fromHex, prototype } = Uint8Array;
const { slice, subarray, toBase64, toHex } = prototype;
const { fromCharCode } = String;
const { apply } = Reflect;

/** Bytes that become text at once: each is an argument of a call. */
const CHUNK = 8192;

/** Up to this length, a loop without a JIT takes no longer than a question to the sandbox process. */
const SHORT = 64;

/** A way in which Node turns text into bytes and back. */
export interface Encoding {
  bytesOf(text: string): Uint8Array<ArrayBuffer>;
  textOf(bytes: Uint8Array): string;
  /** What Node says of a text's bytes without making them. It may be more than there are. */
  sizeOf(text: string): number;
  /** How many of a text's bytes are written where there is room for so many: no part of a character. */
  fitting(bytes: Uint8Array, room: number): number;
}

/** The text with a character for each number, up to 65535. */
function charactersOf(codes: Uint8Array | Uint16Array): string {
  let text = "";
  for (let at = 0; at < codes.length; at += CHUNK)
    text += apply(fromCharCode, undefined, codes.subarray(at, at + CHUNK) as ArrayLike<number>);
  return text;
}

/** The codes of a text's characters, as far as an item of the list holds them. */
function codesOf<List extends Uint8Array | Uint16Array>(text: string, list: List): List {
  for (let at = 0; at < text.length; at++) list[at] = text.charCodeAt(at);
  return list;
}

const isWithin = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

const wholly = (bytes: Uint8Array, room: number): number => Math.min(bytes.length, room);

const utf8: Encoding = {
  bytesOf: (text) => (text.length <= SHORT ? shortBytesOf(text) : bytesOfText(text)),
  textOf: (bytes) => (bytes.length <= SHORT ? shortTextOf(bytes) : undefined) ?? textOfBytes(bytes),
  sizeOf: (text) => (text.length <= SHORT ? shortBytesOf(text).length : byteLengthOf(text)),
  fitting(bytes, room) {
    let end = wholly(bytes, room);
    while (isWithin(bytes[end])) end--;
    return end;
  },
};

const utf16: Encoding = {
  bytesOf: (text) => new Uint8Array(codesOf(text, new Uint16Array(text.length)).buffer),
  textOf: (bytes) => charactersOf(new Uint16Array(apply(slice, bytes, [0, bytes.length & ~1]).buffer)),
  sizeOf: (text) => text.length * 2,
  fitting: (bytes, room) => wholly(bytes, room) & ~1,
};

const latin1: Encoding = {
  bytesOf(text) {
    const bytes = text.length > SHORT ? bytesOfText(text) : undefined;
    return bytes?.length === text.length ? bytes : codesOf(text, new Uint8Array(text.length));
  },
  textOf: charactersOf,
  sizeOf: (text) => text.length,
  fitting: wholly,
};

const ascii: Encoding = {
  bytesOf: latin1.bytesOf,
  textOf: (bytes) =>
    charactersOf(bytes).replace(/[\x80-\xff]/g, (character) => fromCharCode(character.charCodeAt(0) & 127)),
  sizeOf: latin1.sizeOf,
  fitting: wholly,
};

const hex: Encoding = {
  bytesOf(text) {
    const even = text.length % 2 === 0 ? text : text.slice(0, -1);
    try {
      return fromHex(even);
    } catch {
      // Node reads up to the first pair of signs that is not hexadecimal.
      const [valid = ""] = /^(?:[\da-f]{2})*/i.exec(even) ?? [];
      return fromHex(valid);
    }
  },
  textOf: (bytes) => apply(toHex, bytes, []),
  sizeOf: (text) => text.length >>> 1,
  fitting: wholly,
};

/** As long as its text, without the signs for what is missing at the end. */
function sizeOfBase64(text: string): number {
  let length = text.length;
  if (text.endsWith("=")) length--;
  if (length > 1 && text[length - 1] === "=") length--;
  return Math.trunc((length * 3) / 4);
}

/** Node reads both alphabets as either, leaves out what is in none, and ends at a sign for what is missing. */
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text);
  } catch {
    const [read = ""] = text.split("=", 1);
    const signs = read
      .replace(/[^\w+/-]+/g, "")
      .replace(/-/g, "+")
      .replace(/_/g, "/");
    return fromBase64(signs.length % 4 === 1 ? signs.slice(0, -1) : signs);
  }
}

const base64: Encoding = {
  bytesOf: bytesOfBase64,
  textOf: (bytes) => apply(toBase64, bytes, []),
  sizeOf: sizeOfBase64,
  fitting: wholly,
};

const base64url: Encoding = {
  bytesOf: bytesOfBase64,
  textOf: (bytes) => apply(toBase64, bytes, [{ alphabet: "base64url", omitPadding: true }]),
  sizeOf: sizeOfBase64,
  fitting: wholly,
};

/** By the names under which the class has methods for each. */
export const ENCODINGS = { utf8, ucs2: utf16, latin1, ascii, hex, base64, base64url };

const NAMED = /* @__PURE__ */ new Map<string, Encoding>([
  ["utf8", utf8],
  ["utf-8", utf8],
  ["ucs2", utf16],
  ["ucs-2", utf16],
  ["utf16le", utf16],
  ["utf-16le", utf16],
  ["latin1", latin1],
  ["binary", latin1],
  ["ascii", ascii],
  ["hex", hex],
  ["base64", base64],
  ["base64url", base64url],
]);

/** Undefined for a name that Node does not know. */
export const encodingNamed = (name: unknown): Encoding | undefined => NAMED.get(`${name}`.toLowerCase());

/** The same, of an argument that may be left out. Throws for a name that Node does not know. */
export function encodingOf(name: unknown): Encoding {
  const found = name === undefined ? utf8 : encodingNamed(name);
  if (!found) throw fault(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
  return found;
}

/** Writes text into bytes from an offset on, and returns how many bytes it took. */
export function writeText(into: Uint8Array, encoding: Encoding, text: string, offset: number, room: number): number {
  const bytes = encoding.bytesOf(text);
  const count = encoding.fitting(bytes, room);
  into.set(apply(subarray, bytes, [0, count]), offset);
  return count;
}
