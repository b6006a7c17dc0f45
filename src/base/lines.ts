import type { Readable } from "node:stream";

const NEWLINE = 0x0a;

export interface LineListener {
  /** One line, without its end. */
  line(bytes: Buffer): void;
  /** A line has more than the limit: its bytes are gone, and those up to its end will be. */
  tooLong(): void;
  /** Nothing more comes. */
  end(): void;
}

/** Reads lines of at most `limit` bytes. What is over is counted, and not kept. */
export function readLines(input: Readable, limit: number, listener: LineListener): void {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    const wasWithin = length <= limit;
    length += part.length;
    if (length <= limit) parts.push(part);
    else if (wasWithin) {
      parts = [];
      listener.tooLong();
    }
  };
  input.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end));
      from = end + 1;
      if (length <= limit) listener.line(Buffer.concat(parts));
      parts = [];
      length = 0;
    }
    keep(chunk.subarray(from));
  });
  input.on("end", () => listener.end());
  input.on("error", () => listener.end());
}
