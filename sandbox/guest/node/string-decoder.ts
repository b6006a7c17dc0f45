import { Buffer } from "./buffer.ts";
import { ENCODINGS, type Encoding, encodingNamed } from "./buffer-encodings.ts";
import { fault, wrongType } from "./fault.ts";

const { apply } = Reflect;
const { slice, subarray } = Uint8Array.prototype;

/** The begin of a character at the end of bytes: how many there are, and how many it still needs. */
type Open = readonly [count: number, needed: number];

const NOTHING: Open = [0, 0];

function openInUtf8(bytes: Uint8Array): Open {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const size = (byte & 0xe0) === 0xc0 ? 2 : (byte & 0xf0) === 0xe0 ? 3 : (byte & 0xf8) === 0xf0 ? 4 : 1;
    return count < size ? [count, size - count] : NOTHING;
  }
  return NOTHING;
}

/** Half a code unit, or the first half of a pair. */
function openInUtf16(bytes: Uint8Array): Open {
  if (bytes.length % 2 === 1) return [1, 1];
  return ((bytes.at(-1) ?? 0) & 0xfc) === 0xd8 ? [2, 2] : NOTHING;
}

function openInBase64({ length }: Uint8Array): Open {
  const count = length % 3;
  return count === 0 ? NOTHING : [count, 3 - count];
}

/** Those encodings of which a character may be in two parts. */
const OPEN = /* @__PURE__ */ new Map<Encoding, (bytes: Uint8Array) => Open>([
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

const STATE = Symbol("state");

interface State {
  readonly encoding: Encoding;
  /** Bytes of a character that goes on. */
  open: Uint8Array;
  needed: number;
}

export interface StringDecoder {
  readonly encoding: string;
  /** Bytes of a character that goes on, in a buffer of four. */
  readonly lastChar: Buffer;
  readonly lastNeed: number;
  readonly lastTotal: number;
  write(part: unknown): string;
  end(part?: unknown): string;
  /** The text of a buffer from an offset on, whatever came before. */
  text(bytes: Uint8Array, offset: number): string;
}

type Stateful = StringDecoder & { [STATE]: State };

const methods = {
  write(this: Stateful, part: unknown): string {
    if (typeof part === "string") return part;
    if (!ArrayBuffer.isView(part)) throw wrongType("buf", "an instance of Buffer, TypedArray, or DataView");
    const state = this[STATE];
    const given = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    const bytes = state.open.length > 0 ? Buffer.concat([state.open, given]) : given;
    const [count, needed] = OPEN.get(state.encoding)?.(bytes) ?? NOTHING;
    const end = bytes.length - count;
    // A copy: who gave the bytes may write others into them.
    state.open = apply(slice, bytes, [end]);
    state.needed = needed;
    return state.encoding.textOf(apply(subarray, bytes, [0, end]));
  },
  end(this: Stateful, part?: unknown): string {
    const text = part === undefined ? "" : this.write(part);
    const state = this[STATE];
    const { open } = state;
    state.open = new Uint8Array();
    state.needed = 0;
    return text + state.encoding.textOf(open);
  },
  text(this: Stateful, bytes: Uint8Array, offset: number): string {
    const state = this[STATE];
    state.open = new Uint8Array();
    return this.write(apply(subarray, bytes, [offset]));
  },
};

const getters = {
  lastChar(this: Stateful): Buffer {
    const all = Buffer.alloc(4);
    all.set(this[STATE].open);
    return all;
  },
  lastNeed(this: Stateful): number {
    return this[STATE].needed;
  },
  lastTotal(this: Stateful): number {
    const { open, needed } = this[STATE];
    return open.length + needed;
  },
};

/**
 * `node:string_decoder`: text from bytes that come in parts, which may end within a character. A function: old code calls it for an
 * object of its own.
 */
function decoder(this: object, name?: unknown): void {
  const encoding = name ? encodingNamed(name) : ENCODINGS.utf8;
  if (!encoding) throw fault(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
  Object.assign(this, { encoding: nameOf(encoding), [STATE]: { encoding, open: new Uint8Array(), needed: 0 } });
}

function makeDecoder(): new (name?: unknown) => StringDecoder {
  Object.assign(decoder.prototype, methods);
  for (const [name, get] of Object.entries(getters))
    Object.defineProperty(decoder.prototype, name, { get, enumerable: true, configurable: true });
  Object.defineProperty(decoder, "name", { value: "StringDecoder" });
  return decoder as unknown as new (
    name?: unknown,
  ) => StringDecoder;
}

export const StringDecoder = /* @__PURE__ */ makeDecoder();

export default { StringDecoder };
