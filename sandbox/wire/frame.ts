import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES } from "./messages.ts";

/** One frame as bytes. Throws if its text has over `most` bytes. */
export function encodeFrame(kind: number, number: number, text: string, most = MAX_FRAME_BYTES): Buffer {
  const length = Buffer.byteLength(text);
  checkLength(length, most);
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length);
  frame.write(text, FRAME_HEADER_BYTES, "utf8");
  writeHeader(frame, 0, length, kind, number);
  return frame;
}

/** The header of a frame whose text has so many bytes. Throws if these are more than `most`. */
export function headerOf(kind: number, number: number, length: number, most = MAX_FRAME_BYTES): Buffer {
  checkLength(length, most);
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
  writeHeader(header, 0, length, kind, number);
  return header;
}

function checkLength(length: number, most: number): void {
  if (length > most) throw new RangeError(`a frame of ${length} bytes is over the limit of ${most}`);
}

/** Most bytes of its frame. */
export const longestOf = (text: string): number => FRAME_HEADER_BYTES + 3 * text.length;

/** Writes a frame into a buffer with enough room. Returns the end of the frame. */
export function encodeInto(buffer: Buffer, at: number, kind: number, number: number, text: string): number {
  const length = buffer.write(text, at + FRAME_HEADER_BYTES);
  writeHeader(buffer, at, length, kind, number);
  return at + FRAME_HEADER_BYTES + length;
}

function writeHeader(buffer: Buffer, at: number, textBytes: number, kind: number, number: number): void {
  writeUint32(buffer, at, FRAME_HEADER_BYTES - 4 + textBytes);
  buffer[at + 4] = kind;
  writeUint32(buffer, at + 5, number);
}

// Byte by byte: without a JIT, Buffer's own methods take four times as long.
function writeUint32(buffer: Buffer, at: number, value: number): void {
  buffer[at] = value;
  buffer[at + 1] = value >>> 8;
  buffer[at + 2] = value >>> 16;
  buffer[at + 3] = value >>> 24;
}

function readUint32(buffer: Buffer, at: number): number {
  const low = (buffer[at] as number) | ((buffer[at + 1] as number) << 8);
  const high = (buffer[at + 2] as number) | ((buffer[at + 3] as number) << 8);
  return ((high << 16) | low) >>> 0;
}

const NOTHING = Buffer.alloc(0);

/** The text of these bytes in UTF-8. */
type TextOf = (bytes: Buffer, start: number, end: number) => string;

const utf8: TextOf = (bytes, start, end) => bytes.toString("utf8", start, end);

/** Thrown for a length prefix that is too long, or too short for a header. */
export class BadFrame extends Error {}

/**
 * Cuts a stream into frames. The length is checked before any byte of the frame is kept, so a peer can make this side hold at
 * most one frame. The caller may reuse a chunk when `push` returns.
 */
export class FrameReader {
  #pending: Buffer = NOTHING;
  /** A frame that is longer than one chunk, with what has come of it. */
  #long: Buffer | undefined;
  #filled = 0;
  readonly #deliver: (kind: number, number: number, text: string) => void;
  readonly #longest: number;
  readonly #textOf: TextOf;

  /** `most`: bytes of the longest text. */
  constructor(
    deliver: (kind: number, number: number, text: string) => void,
    most = MAX_FRAME_BYTES,
    textOf: TextOf = utf8,
  ) {
    this.#deliver = deliver;
    this.#longest = most + FRAME_HEADER_BYTES - 4;
    this.#textOf = textOf;
  }

  /** Takes the first `length` bytes of `chunk`. */
  push(chunk: Buffer, length = chunk.length): void {
    let at = this.#long ? this.#fill(this.#long, chunk, length) : 0;
    let data = chunk;
    let filled = length;
    if (this.#pending.length > 0) {
      data = Buffer.concat([this.#pending, chunk.subarray(0, length)]);
      filled = data.length;
      this.#pending = NOTHING;
    }
    while (filled - at >= 4) {
      const size = readUint32(data, at);
      if (size < FRAME_HEADER_BYTES - 4 || size > this.#longest) {
        throw new BadFrame(`a frame of ${size} bytes`);
      }
      const end = at + 4 + size;
      if (end > filled) {
        this.#long = Buffer.allocUnsafe(end - at);
        this.#filled = data.copy(this.#long, 0, at, filled);
        return;
      }
      this.#give(data, at, end);
      at = end;
    }
    if (at < filled) this.#pending = Buffer.from(data.subarray(at, filled));
  }

  /** Adds to a long frame, and delivers it once it is complete. Returns how many bytes of the chunk were of it. */
  #fill(frame: Buffer, chunk: Buffer, length: number): number {
    const taken = chunk.copy(frame, this.#filled, 0, length);
    this.#filled += taken;
    if (this.#filled === frame.length) {
      this.#long = undefined;
      this.#give(frame, 0, frame.length);
    }
    return taken;
  }

  #give(data: Buffer, at: number, end: number): void {
    const text = this.#textOf(data, at + FRAME_HEADER_BYTES, end);
    this.#deliver(data[at + 4] as number, readUint32(data, at + 5), text);
  }
}
