import type { Readable } from "node:stream";

const NEWLINE = 0x0a;

export interface LineListener {
  /** One line, without its end. */
  line(bytes: Buffer): void;
  /** A line of more than the limit ended here: its bytes are gone. */
  tooLong(): void;
  /** Nothing more comes. */
  end(): void;
}

/** Reads lines of at most `limit` bytes. What is over is counted, and not kept. */
export function readLines(input: Readable, limit: number, listener: LineListener): void {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > limit) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  input.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end));
      from = end + 1;
      if (length > limit) listener.tooLong();
      else listener.line(Buffer.concat(parts));
      parts = [];
      length = 0;
    }
    keep(chunk.subarray(from));
  });
  input.on("end", () => listener.end());
  input.on("error", () => listener.end());
}
