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

/** Parts of a frame that are kept apart. */
const MAX_PARTS = 1000;

/** Thrown for a length prefix that is too long, or too short for a header. */
export class BadFrame extends Error {}

/**
 * Cuts a stream into frames. The length is checked before any byte of the frame is kept, so a peer can make this side hold at
 * most one frame. The caller may reuse a chunk when `push` returns.
 */
export class FrameReader {
  #pending: Buffer = NOTHING;
  /** The parts of a frame that is longer than one chunk, joined when it is complete. */
  #parts: Buffer[] = [];
  #missing = 0;
  readonly #deliver: (kind: number, number: number, text: string) => void;

  readonly #longest: number;

  /** `most`: bytes of the longest text. */
  constructor(deliver: (kind: number, number: number, text: string) => void, most = MAX_FRAME_BYTES) {
    this.#deliver = deliver;
    this.#longest = most + FRAME_HEADER_BYTES - 4;
  }

  /** Takes the first `length` bytes of `chunk`. */
  push(chunk: Buffer, length = chunk.length): void {
    if (this.#missing > length) {
      this.#parts.push(Buffer.from(chunk.subarray(0, length)));
      this.#missing -= length;
      // Each part costs more than its bytes.
      if (this.#parts.length === MAX_PARTS) this.#parts = [Buffer.concat(this.#parts)];
      return;
    }
    let data = chunk;
    let filled = length;
    if (this.#parts.length > 0) {
      data = Buffer.concat([...this.#parts, chunk.subarray(0, length)]);
      filled = data.length;
      this.#parts = [];
      this.#missing = 0;
    } else if (this.#pending.length > 0) {
      data = Buffer.concat([this.#pending, chunk.subarray(0, length)]);
      filled = data.length;
    }
    this.#pending = NOTHING;
    let at = 0;
    while (filled - at >= 4) {
      const size = readUint32(data, at);
      if (size < FRAME_HEADER_BYTES - 4 || size > this.#longest) {
        throw new BadFrame(`a frame of ${size} bytes`);
      }
      const end = at + 4 + size;
      if (end > filled) {
        this.#parts = [Buffer.from(data.subarray(at, filled))];
        this.#missing = end - filled;
        return;
      }
      const kind = data[at + 4] as number;
      const number = readUint32(data, at + 5);
      const text = data.toString("utf8", at + FRAME_HEADER_BYTES, end);
      at = end;
      this.#deliver(kind, number, text);
    }
    if (at < filled) this.#pending = Buffer.from(data.subarray(at, filled));
  }
}
