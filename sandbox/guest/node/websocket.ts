/** The global `WebSocket` over the host's net power: as in Node, but that bytes come as an `ArrayBuffer`. */
import { unavailable } from "./fault.ts";
import { host } from "./host.ts";
import { Pump } from "./net-pump.ts";
import { bufferOf, bytesOf, type WireData } from "./wire-data.ts";

/** Most bytes of one message, and most messages and characters that go to the host at once. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_PARTS = 500;
const MAX_CHARACTERS = 1_400_000;

const STATES = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 } as const;
const EVENTS = ["open", "message", "error", "close"] as const;

type Listener = ((event: Event) => void) | null;

interface Init {
  protocols?: string | string[];
  headers?: Record<string, string>;
}

/** An event with more members. */
const eventOf = (type: string, more: object): Event => Object.assign(new Event(type), more);

const listOf = (protocols: string | string[] | undefined): string[] =>
  protocols === undefined ? [] : typeof protocols === "string" ? [protocols] : [...protocols];

export class WebSocket extends EventTarget {
  static readonly CONNECTING = STATES.CONNECTING;
  static readonly OPEN = STATES.OPEN;
  static readonly CLOSING = STATES.CLOSING;
  static readonly CLOSED = STATES.CLOSED;
  readonly CONNECTING = STATES.CONNECTING;
  readonly OPEN = STATES.OPEN;
  readonly CLOSING = STATES.CLOSING;
  readonly CLOSED = STATES.CLOSED;

  readonly url: string;
  readonly extensions = "";
  protocol = "";
  readyState: number = STATES.CONNECTING;
  bufferedAmount = 0;
  onopen: Listener = null;
  onmessage: Listener = null;
  onerror: Listener = null;
  onclose: Listener = null;
  readonly #gone = new AbortController();
  readonly #queue: { part: WireData; bytes: number }[] = [];
  #number: number | undefined;
  #sends = false;
  #closing: { code?: number; reason?: string } | undefined;

  constructor(address: unknown, given: string | string[] | Init = []) {
    super();
    const init: Init = typeof given === "object" && !Array.isArray(given) ? given : { protocols: given };
    const url = URL.parse(String(address));
    if (url?.protocol === "http:" || url?.protocol === "https:") url.protocol = url.protocol.replace("http", "ws");
    if (!url || !/^wss?:$/.test(url.protocol))
      throw new DOMException(`Invalid URL: ${String(address).slice(0, 200)}`, "SyntaxError");
    if (url.hash !== "") throw new DOMException("Got fragment", "SyntaxError");
    const protocols = listOf(init.protocols);
    if (new Set(protocols.map((name) => name.toLowerCase())).size < protocols.length || protocols.some(isNoToken))
      throw new DOMException("Invalid Sec-WebSocket-Protocol value", "SyntaxError");
    this.url = url.href;
    for (const type of EVENTS) this.addEventListener(type, (event) => this[`on${type}`]?.call(this, event));
    const headers = Object.entries(init.headers ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
    host.call("net.websocket", [this.url, { protocols, headers }], this.#gone.signal).then(
      ({ socket, protocol }) => this.#opened(socket, protocol),
      (error) => this.#failed(error),
    );
  }

  get binaryType(): "arraybuffer" {
    return "arraybuffer";
  }

  set binaryType(type: unknown) {
    if (type === "blob") throw unavailable('WebSocket.binaryType "blob" is not offered to hooks: "arraybuffer" is');
  }

  send(data: unknown): void {
    if (this.readyState === STATES.CONNECTING) throw new DOMException("Sent before connected.", "InvalidStateError");
    const bytes = bytesOf(typeof data === "object" ? data : String(data));
    if (!bytes) throw unavailable("WebSocket.send of a Blob is not offered to hooks: send its bytes");
    if (bytes.length > MAX_MESSAGE_BYTES)
      throw new RangeError(`a message of ${bytes.length} bytes is over the limit of ${MAX_MESSAGE_BYTES}`);
    if (this.readyState !== STATES.OPEN) return;
    const part: WireData =
      typeof data === "object" ? ["base64", bytes.toBase64()] : ["utf8", String(data).toWellFormed()];
    this.#queue.push({ part, bytes: bytes.length });
    this.bufferedAmount += bytes.length;
    void this.#pass();
  }

  close(code?: number, reason = ""): void {
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999))
      throw new DOMException("invalid code", "InvalidAccessError");
    if ((bytesOf(reason)?.length ?? 0) > 123)
      throw new DOMException("Reason must be less than 123 bytes; received more", "SyntaxError");
    if (this.readyState >= STATES.CLOSING) return;
    const wasOpen = this.readyState === STATES.OPEN;
    this.readyState = STATES.CLOSING;
    this.#closing = { ...(code === undefined ? {} : { code }), ...(reason === "" ? {} : { reason }) };
    if (wasOpen) void this.#pass();
    else this.#failed(new Error("WebSocket was closed before the connection was established"));
  }

  #opened(socket: number, protocol: string): void {
    if (this.readyState !== STATES.CONNECTING) {
      void host.call("net.close", [socket, {}]);
      return;
    }
    this.#number = socket;
    this.protocol = protocol;
    this.readyState = STATES.OPEN;
    const pump = new Pump(socket, this.#gone.signal, {
      part: (part: WireData) => {
        const data = part[0] === "utf8" ? part[1] : new Uint8Array(bufferOf(part)).buffer;
        if (this.readyState === STATES.OPEN)
          this.dispatchEvent(eventOf("message", { data, origin: new URL(this.url).origin }));
        pump.next();
      },
      ended: ({ code = 1006, reason = "" }) => this.#closed(code, reason),
      failed: () => this.#closed(1006, ""),
    });
    this.dispatchEvent(new Event("open"));
    pump.next();
  }

  /** Sends what waits, in order, and then the end, if it was asked for. */
  async #pass(): Promise<void> {
    const socket = this.#number;
    if (this.#sends || socket === undefined) return;
    this.#sends = true;
    try {
      while (this.#queue.length > 0) {
        const { parts, bytes } = this.#nextParts();
        await host.call("net.write", [socket, parts, false], this.#gone.signal);
        this.bufferedAmount -= bytes;
      }
      if (this.#closing) await host.call("net.close", [socket, this.#closing]);
    } catch {
      // How it ended is what the reader is told.
    } finally {
      this.#sends = false;
    }
  }

  #nextParts(): { parts: WireData[]; bytes: number } {
    let characters = 0;
    let count = 0;
    for (const { part } of this.#queue) {
      characters += part[1].length;
      if (count > 0 && (count >= MAX_PARTS || characters > MAX_CHARACTERS)) break;
      count++;
    }
    const taken = this.#queue.splice(0, count);
    return { parts: taken.map(({ part }) => part), bytes: taken.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  #failed(error: unknown): void {
    if (this.readyState === STATES.CLOSED) return;
    this.readyState = STATES.CLOSED;
    this.#gone.abort();
    queueMicrotask(() => {
      const message = error instanceof Error ? error.message : String(error);
      this.dispatchEvent(eventOf("error", { error, message }));
      this.dispatchEvent(eventOf("close", { code: 1006, reason: "", wasClean: false }));
    });
  }

  #closed(code: number, reason: string): void {
    if (this.readyState === STATES.CLOSED) return;
    this.readyState = STATES.CLOSED;
    this.#gone.abort();
    const wasClean = code !== 1006;
    if (!wasClean) this.dispatchEvent(eventOf("error", { message: "the connection was lost" }));
    this.dispatchEvent(eventOf("close", { code, reason, wasClean }));
  }
}

const isNoToken = (name: string): boolean => !/^[\w!#$%&'*+.^`|~-]+$/.test(name);
