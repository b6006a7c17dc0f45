import type { Socket } from "node:net";
import WebSocket from "ws";
import type { SocketRead, WireBytes } from "../../sandbox/wire/answers.ts";
import { brokenPipe, type HookSocket } from "./net-socket.ts";

/** Most bytes of one message; a longer one ends the connection. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Messages, and bytes of them, that are handed to the hook at once. With more waiting, the peer waits. */
const MAX_PART = 500;
const MAX_PART_BYTES = 256 * 1024;
/** Pings that a peer may send without any message, and bytes that it may leave unread. */
const MAX_PINGS = 1000;
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Bytes that are read in one tick, whatever they are: frames without messages cost time, too. */
const TICK_MS = 20;
const TICK_BYTES = 128 * 1024;
/** For the peer to answer the end of a connection. */
const CLOSE_MS = 2000;

export interface Handshake {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly mostMs: number;
}

/** A WebSocket over a connection that was dialled for it. Follows no redirect, and takes no compression. */
export class HookWebSocket implements HookSocket {
  readonly #peer: WebSocket;
  readonly #socket: Socket;
  readonly #waiting: WireBytes[] = [];
  #bytes = 0;
  #pings = 0;
  #ended: SocketRead["ended"];
  #wake: () => void = () => {};
  readonly #watch: NodeJS.Timeout;
  #bytesBefore = 0;

  /** Resolves when the peer agreed; rejects if it did not. */
  static open(socket: Socket, handshake: Handshake, closed: () => void): Promise<HookWebSocket> {
    return new Promise((resolve, reject) => {
      const made = new HookWebSocket(socket, handshake, closed);
      made.#peer.once("open", () => resolve(made));
      made.#peer.once("close", () => reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })));
      made.#peer.once("error", reject);
    });
  }

  private constructor(socket: Socket, { url, protocols, headers, mostMs }: Handshake, closed: () => void) {
    this.#socket = socket;
    socket.unref();
    const peer = new WebSocket(url, [...protocols], {
      createConnection: () => socket,
      headers,
      handshakeTimeout: mostMs,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      autoPong: false,
    });
    this.#peer = peer;
    // What a peer may not say ends it at once: the library would read on until the peer agrees to the end.
    peer.on("error", () => peer.terminate());
    peer.on("message", (data: Buffer, isBinary: boolean) => {
      this.#pings = 0;
      this.#bytes += data.length;
      this.#waiting.push(isBinary ? ["base64", data.toString("base64")] : ["utf8", data.toString("utf8")]);
      this.#balance(false);
      this.#wake();
    });
    const refuse = (): void => {
      // The rest of what was read together with it is still gone through.
      for (const type of ["ping", "pong"]) peer.removeAllListeners(type);
      peer.terminate();
    };
    peer.on("ping", (data: Buffer) => {
      if (++this.#pings <= MAX_PINGS && peer.bufferedAmount <= MAX_UNREAD_BYTES) peer.pong(data);
      else refuse();
    });
    // Nobody asked for one.
    peer.on("pong", () => {
      if (++this.#pings > MAX_PINGS) refuse();
    });
    peer.on("close", (code: number, reason: Buffer) => {
      clearInterval(this.#watch);
      this.#ended = { code, reason: reason.toString("utf8") };
      this.#wake();
      closed();
    });
    this.#watch = setInterval(() => this.#balance(true), TICK_MS);
    this.#watch.unref();
  }

  get protocol(): string {
    return this.#peer.protocol;
  }

  async read(): Promise<SocketRead> {
    while (this.#waiting.length === 0 && !this.#ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    let bytes = 0;
    let count = 0;
    for (const [, text] of this.#waiting) {
      if (count >= MAX_PART || (count > 0 && bytes + text.length > MAX_PART_BYTES)) break;
      bytes += text.length;
      count++;
    }
    const parts = this.#waiting.splice(0, count);
    this.#bytes = this.#waiting.reduce((sum, [, text]) => sum + text.length, 0);
    this.#balance(false);
    return { parts, ...(this.#waiting.length === 0 && this.#ended ? { ended: this.#ended } : {}) };
  }

  async write(parts: readonly WireBytes[], ends: boolean): Promise<void> {
    for (const [encoding, text] of parts) await this.#send(Buffer.from(text, encoding), encoding === "base64");
    if (ends) this.close();
  }

  close(code?: number, reason?: string): void {
    const peer = this.#peer;
    if (peer.readyState === WebSocket.CLOSED) return;
    peer.close(code, reason);
    // It cannot answer while nothing of it is read.
    peer.resume();
    setTimeout(() => peer.terminate(), CLOSE_MS).unref();
  }

  destroy(): void {
    this.#peer.terminate();
  }

  #send(bytes: Buffer, binary: boolean): Promise<void> {
    const peer = this.#peer;
    return new Promise((resolve, reject) => {
      if (peer.readyState !== WebSocket.OPEN) {
        reject(brokenPipe());
        return;
      }
      const gone = (): void => reject(brokenPipe());
      peer.once("close", gone);
      peer.send(bytes, { binary }, (error) => {
        peer.off("close", gone);
        if (error) reject(brokenPipe());
        else resolve();
      });
    });
  }

  /** Reads from the peer only while the hook keeps up, and not faster than a tick allows. */
  #balance(isTick: boolean): void {
    const peer = this.#peer;
    if (isTick) this.#bytesBefore = this.#socket.bytesRead;
    if (peer.readyState !== WebSocket.OPEN) return;
    const isFull = this.#waiting.length > MAX_PART || this.#bytes > MAX_PART_BYTES;
    const isFast = this.#socket.bytesRead - this.#bytesBefore > TICK_BYTES;
    if (isFull || isFast) peer.pause();
    else if (peer.isPaused) peer.resume();
  }
}
