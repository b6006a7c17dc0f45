/** Converts text and bytes for the wire: text unchanged if it fits, everything else in base64. */
import { Buffer } from "./buffer.ts";

export type WireData = readonly ["utf8" | "base64", string];

/** Most characters of the JSON of unchanged text. A character has at most three bytes; one of ASCII has one. */
const MAX_PLAIN = 2_400_000;
const MAX_PLAIN_ASCII = 7_000_000;

function fits(text: string): boolean {
  if (text.length > MAX_BYTES) return false;
  const json = JSON.stringify(text);
  return json.length <= MAX_PLAIN || (json.length <= MAX_PLAIN_ASCII && /^[\0-\x7f]*$/.test(json));
}

/**
 * Most bytes of a message to another machine, and of its answer. A hook's memory must hold a message several times.
 */
export const MAX_MESSAGE = 2 * 1024 * 1024;

/** Most bytes that a hook can send at once. */
export const MAX_BYTES = 5 * 1024 * 1024;

/** V8's own function. Without a JIT, it is many times faster than one in JavaScript. */
const { fromBase64 } = Uint8Array;

export const isUtf8 = (encoding: string | null | undefined): boolean => encoding === "utf8" || encoding === "utf-8";

/** The bytes of text, a view or an `ArrayBuffer`; `undefined` for anything else. */
export function bytesOf(data: unknown, encoding?: string | null): Uint8Array | undefined {
  if (typeof data === "string")
    return !encoding || isUtf8(encoding) ? new TextEncoder().encode(data) : Buffer.from(data, encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return undefined;
}

/**
 * Returns `undefined` for a value that is neither text nor bytes. `tooLarge` creates the error for more than `most`
 * bytes.
 */
export function toWire(
  data: unknown,
  encoding: string | null | undefined,
  tooLarge: (bytes: number) => Error,
  most = MAX_BYTES,
): WireData | undefined {
  if (typeof data === "string" && (!encoding || isUtf8(encoding)) && data.length <= most && fits(data))
    return ["utf8", data];
  const bytes = bytesOf(data, encoding);
  if (!bytes) return undefined;
  if (bytes.length > most) throw tooLarge(bytes.length);
  return ["base64", bytes.toBase64()];
}

export function fromBase64Text(text: string): Buffer {
  const raw = fromBase64.call(Uint8Array, text);
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
}

export const bufferOf = ([encoding, text]: WireData): Buffer =>
  encoding === "utf8" ? Buffer.from(text) : fromBase64Text(text);

/** The names of Node's encodings. */
const ENCODINGS = new Set("utf8 utf-8 hex base64 base64url ascii latin1 binary ucs2 ucs-2 utf16le utf-16le".split(" "));
export const isEncoding = (name: string): boolean => ENCODINGS.has(name.toLowerCase());

/** The text of bytes. The package behind `Buffer` lacks one encoding. */
export const inEncoding = (bytes: Buffer, encoding: string): string =>
  encoding === "base64url" ? bytes.toBase64({ alphabet: "base64url", omitPadding: true }) : bytes.toString(encoding);

export const textOf = (data: WireData): string => (data[0] === "utf8" ? data[1] : bufferOf(data).toString("utf8"));
