import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES } from "./protocol.ts";

/** One frame as bytes. Text that is too long for a frame throws: callers check what they were given first. */
export function encodeFrame(kind: number, number: number, text: string): Buffer {
  const length = Buffer.byteLength(text);
  if (length > MAX_FRAME_BYTES)
    throw new RangeError(`a frame of ${length} bytes is over the limit of ${MAX_FRAME_BYTES}`);
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length);
  frame.writeUInt32LE(FRAME_HEADER_BYTES - 4 + length, 0);
  frame[4] = kind;
  frame.writeUInt32LE(number, 5);
  frame.write(text, FRAME_HEADER_BYTES, "utf8");
  return frame;
}

/** The same into a buffer that has room for it; returns where the frame ends. */
export function encodeInto(buffer: Buffer, at: number, kind: number, number: number, text: string): number {
  const length = buffer.write(text, at + FRAME_HEADER_BYTES);
  buffer.writeUInt32LE(FRAME_HEADER_BYTES - 4 + length, at);
  buffer[at + 4] = kind;
  buffer.writeUInt32LE(number, at + 5);
  return at + FRAME_HEADER_BYTES + length;
}

const NOTHING = Buffer.alloc(0);

/** A length prefix that no honest peer sends: too long, or too short for a header. */
export class BadFrame extends Error {}

/**
 * Cuts a stream into frames. The length is checked before a byte of the frame is kept, so a peer can make this end hold
 * at most one frame. Chunks are the caller's again once `push` returns.
 */
export class FrameReader {
  #pending: Buffer = NOTHING;
  /** What has arrived of a frame longer than one chunk, joined once it is whole. */
  #parts: Buffer[] = [];
  #missing = 0;
  readonly #deliver: (kind: number, number: number, text: string) => void;

  constructor(deliver: (kind: number, number: number, text: string) => void) {
    this.#deliver = deliver;
  }

  push(chunk: Buffer): void {
    if (this.#missing > chunk.length) {
      this.#parts.push(Buffer.from(chunk));
      this.#missing -= chunk.length;
      return;
    }
    let data = chunk;
    if (this.#parts.length > 0) {
      data = Buffer.concat([...this.#parts, chunk]);
      this.#parts = [];
      this.#missing = 0;
    } else if (this.#pending.length > 0) {
      data = Buffer.concat([this.#pending, chunk]);
    }
    this.#pending = NOTHING;
    let at = 0;
    while (data.length - at >= 4) {
      const length = data.readUInt32LE(at);
      if (length < FRAME_HEADER_BYTES - 4 || length > MAX_FRAME_BYTES + FRAME_HEADER_BYTES - 4) {
        throw new BadFrame(`a frame of ${length} bytes`);
      }
      const end = at + 4 + length;
      if (end > data.length) {
        this.#parts = [Buffer.from(data.subarray(at))];
        this.#missing = end - data.length;
        return;
      }
      const kind = data[at + 4] as number;
      const number = data.readUInt32LE(at + 5);
      const text = data.toString("utf8", at + FRAME_HEADER_BYTES, end);
      at = end;
      this.#deliver(kind, number, text);
    }
    if (at < data.length) this.#pending = Buffer.from(data.subarray(at));
  }
}
