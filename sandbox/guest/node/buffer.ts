/** `node:buffer`. */
import { Blob, File } from "./blob.ts";
import { order } from "./buffer-bytes.ts";
import { checkBytes } from "./buffer-checks.ts";
import { Buffer, INSPECT_MAX_BYTES, isArrayBuffer, MAX_LENGTH } from "./buffer-class.ts";
import { ENCODINGS, type Encoding, encodingNamed } from "./buffer-encodings.ts";
import { fault, wrongType } from "./fault.ts";

export { Blob, Buffer, File, INSPECT_MAX_BYTES };
export const kMaxLength = MAX_LENGTH;
export const kStringMaxLength = 2 ** 29 - 24;
export const constants = { MAX_LENGTH, MAX_STRING_LENGTH: kStringMaxLength };

/** Whether bytes are text in UTF-8. */
export function isUtf8(given: unknown): boolean {
  const bytes = viewed(given);
  return order(ENCODINGS.utf8.bytesOf(ENCODINGS.utf8.textOf(bytes)), bytes) === 0;
}

export const isAscii = (given: unknown): boolean => !/[\x80-\xff]/.test(ENCODINGS.latin1.textOf(viewed(given)));

function viewed(given: unknown): Uint8Array {
  if (isArrayBuffer(given)) return new Uint8Array(given);
  if (!ArrayBuffer.isView(given)) throw wrongType("input", "an instance of ArrayBuffer, Buffer, or TypedArray");
  return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
}

/** What a text has to be for an encoding: what is not in it is a question mark. */
const LACKED = /* @__PURE__ */ new Map<Encoding, RegExp>([
  [ENCODINGS.utf8, /(?!)/g],
  [ENCODINGS.ucs2, /(?!)/g],
  [ENCODINGS.latin1, /[^\0-\xff]/gu],
  [ENCODINGS.ascii, /[^\0-\x7f]/gu],
]);

/** Bytes of a text in one encoding, as those in another. */
export function transcode(bytes: unknown, from: unknown, to: unknown): Buffer {
  checkBytes(bytes, "source");
  const [read, write] = [encodingNamed(from), encodingNamed(to)];
  const lacked = write && LACKED.get(write);
  if (!read || !lacked || !LACKED.has(read))
    throw fault(Error, "U_ILLEGAL_ARGUMENT_ERROR", "Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]");
  return Buffer.from(read.textOf(bytes).replace(lacked, "?"), `${to}`);
}

// The global functions are created when they are first read.
const atob = (text: string): string => globalThis.atob(text);
const btoa = (text: string): string => globalThis.btoa(text);

export { atob, btoa };
export default {
  Blob,
  Buffer,
  File,
  atob,
  btoa,
  constants,
  INSPECT_MAX_BYTES,
  isAscii,
  isUtf8,
  kMaxLength,
  kStringMaxLength,
  transcode,
};
