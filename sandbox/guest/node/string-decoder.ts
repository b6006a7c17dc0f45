import { Buffer } from "./buffer.ts";
import { ENCODINGS, type Encoding, encodingNamed } from "./buffer-encodings.ts";
import { fault, wrongType } from "./fault.ts";

const { apply } = Reflect;
const { subarray } = Uint8Array.prototype;

/** How many bytes at the end are the begin of a character in UTF-8 that goes on. */
function openInUtf8(bytes: Uint8Array): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const size = (byte & 0xe0) === 0xc0 ? 2 : (byte & 0xf0) === 0xe0 ? 3 : (byte & 0xf8) === 0xf0 ? 4 : 1;
    return count < size ? count : 0;
  }
  return 0;
}

/** The same in UTF-16: half a code unit, or the first half of a pair. */
function openInUtf16(bytes: Uint8Array): number {
  if (bytes.length % 2 === 1) return 1;
  return ((bytes.at(-1) ?? 0) & 0xfc) === 0xd8 ? 2 : 0;
}

const openInBase64 = (bytes: Uint8Array): number => bytes.length % 3;

/** Those encodings of which a character may be in two parts. */
const OPEN = /* @__PURE__ */ new Map<Encoding, (bytes: Uint8Array) => number>([
  [ENCODINGS.utf8, openInUtf8],
  [ENCODINGS.ucs2, openInUtf16],
  [ENCODINGS.base64, openInBase64],
  [ENCODINGS.base64url, openInBase64],
]);

/** As Node names it. */
const nameOf = (encoding: Encoding): string =>
  encoding === ENCODINGS.ucs2
    ? "utf16le"
    : (Object.entries(ENCODINGS).find(([, one]) => one === encoding) as [string, Encoding])[0];

/** `node:string_decoder`: text from bytes that come in parts, which may end within a character. */
export class StringDecoder {
  readonly encoding: string;
  readonly #encoding: Encoding;
  /** Bytes of a character that goes on. */
  #open: Uint8Array = new Uint8Array();

  constructor(name?: unknown) {
    const encoding = name ? encodingNamed(name) : ENCODINGS.utf8;
    if (!encoding) throw fault(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
    this.#encoding = encoding;
    this.encoding = nameOf(encoding);
  }

  write(part: unknown): string {
    if (typeof part === "string") return part;
    if (!ArrayBuffer.isView(part)) throw wrongType("buf", "an instance of Buffer, TypedArray, or DataView");
    const given = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    const bytes = this.#open.length > 0 ? Buffer.concat([this.#open, given]) : given;
    const end = bytes.length - (OPEN.get(this.#encoding)?.(bytes) ?? 0);
    // A copy: who gave the bytes may write others into them.
    this.#open = bytes.slice(end);
    return this.#encoding.textOf(apply(subarray, bytes, [0, end]));
  }

  end(part?: unknown): string {
    const text = part === undefined ? "" : this.write(part);
    const open = this.#open;
    this.#open = new Uint8Array();
    return text + this.#encoding.textOf(open);
  }
}

export default { StringDecoder };
