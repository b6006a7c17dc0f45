import { writeSync } from "node:fs";
import { Socket, type SocketConstructorOpts } from "node:net";
import { encodeFrame, encodeInto, headerOf, longestOf } from "../../sandbox/wire/frame.ts";
import type { TextOrParts } from "../base/large-value.ts";

/**
 * A socket that Node made for a child, with what it reads from and writes to. Node's own types lack it, though a socket can be
 * made of it. Its `fd` is no descriptor on Windows.
 */
export interface ChildSocket extends Socket {
  _handle?: (SocketConstructorOpts["handle"] & { readonly fd?: number }) | null;
}

/** Each frame is made in it, and has left it when the next is made. */
const outbox = Buffer.allocUnsafe(64 * 1024);

/**
 * The host's end of a pipe to a process that it started. Node's streams take 35 us of a call whose code is in no cache, so bytes
 * pass them only when they must wait: what is read comes in one buffer, and what is written goes to the kernel first.
 */
export class Pipe {
  readonly #socket: ChildSocket;

  /**
   * `made`: what Node made for a child; it is not to be used any more. `receive`: takes the first `length` bytes, and keeps none of the
   * buffer when it returns. Without it nothing is read.
   */
  constructor(made: ChildSocket, receive?: (bytes: Buffer, length: number) => void) {
    this.#socket = receive ? reading(made, receive) : made;
    // The pipe of a dying process breaks before its exit is known. The exit is what counts.
    this.#socket.on("error", () => {});
    this.#socket.unref();
  }

  /** Bytes that wait for the process to read. */
  get waiting(): number {
    return this.#socket.writableLength;
  }

  get isPaused(): boolean {
    return this.#socket.isPaused();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Throws for a text of over `most` bytes. */
  send(kind: number, number: number, text: TextOrParts, most?: number): void {
    if (typeof text !== "string") {
      this.#sendParts(kind, number, text, most);
      return;
    }
    const fd = this.waiting === 0 ? (this.#socket._handle?.fd ?? -1) : -1;
    if (fd < 0 || longestOf(text) > outbox.length) {
      this.#socket.write(encodeFrame(kind, number, text, most));
      return;
    }
    const end = encodeInto(outbox, 0, kind, number, text);
    const sent = writeNow(fd, end);
    if (sent < end) this.#socket.write(Buffer.from(outbox.subarray(sent, end)));
  }

  /** The parts are not copied, so they must not change. */
  #sendParts(kind: number, number: number, parts: readonly Buffer[], most?: number): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const header = headerOf(kind, number, length, most);
    this.#socket.cork();
    for (const part of [header, ...parts]) this.#socket.write(part);
    this.#socket.uncork();
  }
}

/** How much of the outbox the kernel takes now. The stream gets the rest, and meets what went wrong. */
function writeNow(fd: number, end: number): number {
  try {
    return writeSync(fd, outbox, 0, end);
  } catch {
    return 0;
  }
}

function reading(made: ChildSocket, receive: (bytes: Buffer, length: number) => void): Socket {
  const { _handle: handle } = made;
  if (!handle) {
    made.on("data", (bytes: Buffer) => receive(bytes, bytes.length));
    return made;
  }
  made._handle = null;
  const buffer = Buffer.allocUnsafe(64 * 1024);
  const callback = (length: number): boolean => {
    receive(buffer, length);
    return true;
  };
  return new Socket({ handle, onread: { buffer, callback } });
}
