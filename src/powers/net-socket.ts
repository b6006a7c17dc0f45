import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { finished, type Readable } from "node:stream";
import type { SocketRead, WireBytes } from "../../sandbox/wire/answers.ts";

/** A connection of a hook's own. It reads no more from its peer than the hook has asked for, and a little ahead. */
export interface HookSocket {
  /** What came in, as soon as something did. One call at a time. */
  read(): Promise<SocketRead>;
  /** Resolves when it was handed on, so that it does not pile up here. One call at a time. */
  write(parts: readonly WireBytes[], ends: boolean): Promise<void>;
  /** Ends it as its protocol does: `code` and `reason` are told to a WebSocket's peer. */
  close(code?: number, reason?: string): void;
  /** Ends it at once. Whoever reads it is told the reason. */
  destroy(reason?: Error): void;
}

const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code });
/** What is written to a connection that is over. */
export const brokenPipe = (): Error => failed("EPIPE", "write EPIPE: the connection is closed");

/** What comes next out of a stream, as soon as something does. */
async function nextPart(from: Readable, error: () => Error | undefined): Promise<SocketRead> {
  for (;;) {
    const bytes: Buffer | null = from.read();
    if (bytes) return { parts: [["base64", bytes.toString("base64")]] };
    const failure = error();
    if (failure) throw failure;
    if (from.readableEnded || from.destroyed) return { parts: [], ended: {} };
    await new Promise<void>((resolve) => {
      const events = ["readable", "end", "close"];
      const done = (): void => {
        for (const event of events) from.off(event, done);
        resolve();
      };
      for (const event of events) from.on(event, done);
    });
  }
}

/** A TCP connection. It stays paused: its peer waits until the hook reads. */
export class TcpSocket implements HookSocket {
  readonly #socket: Socket;
  #error: Error | undefined;

  constructor(socket: Socket, closed: () => void) {
    this.#socket = socket;
    socket.pause();
    // A host keeps no process alive by itself.
    socket.unref();
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.on("close", closed);
  }

  read(): Promise<SocketRead> {
    return nextPart(this.#socket, () => this.#error);
  }

  write(parts: readonly WireBytes[], ends: boolean): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      if (socket.destroyed || socket.writableEnded) {
        if (ends && parts.length === 0 && !this.#error) resolve();
        else reject(this.#error ?? brokenPipe());
        return;
      }
      const gone = (): void => reject(this.#error ?? brokenPipe());
      socket.once("close", gone);
      const done = (error?: Error | null): void => {
        socket.off("close", gone);
        if (error) reject(error);
        else resolve();
      };
      const bytes = Buffer.concat(parts.map(([encoding, text]) => Buffer.from(text, encoding)));
      if (ends) socket.end(bytes, () => done());
      else socket.write(bytes, done);
    });
  }

  close(): void {
    this.destroy();
  }

  destroy(reason?: Error): void {
    this.#error ??= reason;
    this.#socket.destroy();
  }
}

/** Longest time without a byte, be it that the server sends none or that the hook takes none. */
const SILENT_MS = 120_000;

/** The body of a web server's answer, while it arrives. The server waits until the hook reads. */
export class ArrivingBody implements HookSocket {
  readonly #body: IncomingMessage;
  #error: Error | undefined;

  /** `over`: called when its connection is, although the hook may not have read all of it. */
  constructor(body: IncomingMessage, over: () => void, silentMs = SILENT_MS) {
    this.#body = body;
    body.socket.unref();
    body.on("error", (error) => {
      this.#error ??= error;
    });
    // A server need not close what has nothing more to say.
    body.on("readable", () => {
      if (body.complete) body.socket.destroy();
    });
    finished(body.socket, () => over());
    body.socket.setTimeout(silentMs);
    body.socket.once("timeout", () => body.destroy(failed("ETIMEDOUT", `no part of the body in ${silentMs / 1000} s`)));
  }

  read(): Promise<SocketRead> {
    return nextPart(this.#body, () => this.#error);
  }

  async write(): Promise<void> {
    throw brokenPipe();
  }

  close(): void {
    this.destroy();
  }

  destroy(reason?: Error): void {
    this.#error ??= reason;
    this.#body.destroy(reason);
  }
}
