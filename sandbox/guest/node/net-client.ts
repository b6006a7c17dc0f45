/** `net.Socket`: a stream over a connection of the host's. */

import { fault, unavailable } from "./fault.ts";
import { host } from "./host.ts";
import { nodeError } from "./http-words.ts";
import { Pump } from "./net-pump.ts";
import { loadStreams } from "./stream-load.ts";
import { bufferOf, type WireData } from "./wire-data.ts";

const { Duplex } = loadStreams();

/** Most bytes of one write to the host. */
const PART_BYTES = 512 * 1024;

/** Options for kinds of sockets that the host does not make. */
const REFUSED = ["fd", "handle", "localAddress", "localPort", "lookup", "onread", "blockList"];

type Done = (error?: Error | null) => void;

export class Socket extends Duplex {
  /** Set by `net.ts`, which knows the forms of the arguments. */
  static connector: (socket: Socket, args: readonly unknown[]) => Socket;

  connecting = false;
  bytesRead = 0;
  bytesWritten = 0;
  remoteAddress: string | undefined;
  remotePort: number | undefined;
  remoteFamily: string | undefined;
  localAddress: string | undefined;
  localPort: number | undefined;
  localFamily: string | undefined;
  timeout: number | undefined;
  readonly #gone = new AbortController();
  #number: number | undefined;
  #pump: Pump | undefined;
  #wantsData = false;
  #hadError = false;
  #whenOpen: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: { [name: string]: unknown } = {}) {
    const refused = REFUSED.find((name) => options[name] !== undefined);
    if (refused !== undefined) throw unavailable(`net.Socket: ${refused} is not offered to hooks`);
    if (options.allowHalfOpen === true) throw unavailable("net.Socket: allowHalfOpen is not offered to hooks");
    super({ allowHalfOpen: false, decodeStrings: true });
    const { signal } = options as { signal?: AbortSignal };
    signal?.addEventListener("abort", () => this.destroy(nodeError(signal.reason) as Error), { once: true });
  }

  connect(...args: unknown[]): this {
    Socket.connector(this, args);
    return this;
  }

  /** Connects; the form of the arguments was checked. */
  begin(name: string, port: number): void {
    if (this.connecting || this.#number !== undefined)
      throw fault(Error, "EISCONN", "connect EISCONN: the socket is connected already");
    this.connecting = true;
    host.call("net.connect", [name, port], this.#gone.signal).then(
      (made) => {
        this.connecting = false;
        if (this.destroyed) {
          void host.call("net.close", [made.socket, {}]);
          return;
        }
        this.#opened(made.socket);
        this.remoteAddress = made.remoteAddress;
        this.remotePort = made.remotePort;
        this.remoteFamily = familyOf(made.remoteAddress);
        this.localAddress = made.localAddress;
        this.localPort = made.localPort;
        this.localFamily = familyOf(made.localAddress);
        this.emit("connect");
        this.emit("ready");
        for (const act of this.#whenOpen.splice(0)) act();
        if (this.#wantsData) this.#pump?.next();
      },
      (error) => {
        this.connecting = false;
        if (!this.destroyed) this.destroy(nodeError(error) as Error);
      },
    );
  }

  get pending(): boolean {
    return this.#number === undefined;
  }

  get readyState(): string {
    if (this.connecting) return "opening";
    if (this.destroyed) return "closed";
    return this.readableEnded ? "writeOnly" : this.writableEnded ? "readOnly" : "open";
  }

  address(): object {
    if (this.localAddress === undefined) return {};
    return { address: this.localAddress, port: this.localPort, family: this.localFamily };
  }

  setTimeout(ms: number, listener?: () => void): this {
    if (listener) this.once("timeout", listener);
    this.timeout = ms;
    this.#moved();
    return this;
  }

  destroySoon(): void {
    if (!this.writableEnded) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  // The host decides about these.
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  /** Node says with the end whether it was an error. */
  override emit(type: string, ...args: unknown[]): boolean {
    return type === "close" ? super.emit(type, this.#hadError) : super.emit(type, ...args);
  }

  _read(): void {
    this.#wantsData = true;
    this.#pump?.next();
  }

  _write(chunk: Uint8Array, _encoding: string, done: Done): void {
    this.#put([chunk], false, done);
  }

  _writev(chunks: readonly { chunk: Uint8Array }[], done: Done): void {
    this.#put(
      chunks.map(({ chunk }) => chunk),
      false,
      done,
    );
  }

  _final(done: Done): void {
    if (this.#number === undefined && !this.connecting) done();
    else this.#put([], true, done);
  }

  _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#timer);
    this.#hadError = error !== null;
    if (this.#number !== undefined) host.call("net.close", [this.#number, {}]).catch(() => {});
    this.#gone.abort();
    for (const act of this.#whenOpen.splice(0)) act();
    done(error);
  }

  #opened(number: number): void {
    this.#number = number;
    this.#pump = new Pump(number, this.#gone.signal, {
      part: (part: WireData) => {
        const bytes = bufferOf(part);
        this.bytesRead += bytes.length;
        this.#moved();
        this.#wantsData = this.push(bytes);
        if (this.#wantsData) this.#pump?.next();
      },
      ended: () => void this.push(null),
      failed: (error) => void this.destroy(nodeError(error) as Error),
    });
    this.#moved();
  }

  /** Writes bytes once there is a connection, in parts. */
  #put(chunks: readonly Uint8Array[], ends: boolean, done: Done): void {
    if (this.destroyed) {
      done(fault(Error, "EPIPE", "write EPIPE", { syscall: "write" }));
      return;
    }
    if (this.#number === undefined) {
      this.#whenOpen.push(() => this.#put(chunks, ends, done));
      return;
    }
    this.#send(this.#number, chunks, ends).then(
      () => done(),
      (error) => done(nodeError(error) as Error),
    );
  }

  async #send(number: number, chunks: readonly Uint8Array[], ends: boolean): Promise<void> {
    const whole = joined(chunks);
    for (let at = 0; at === 0 || at < whole.length; at += PART_BYTES) {
      const part = whole.subarray(at, at + PART_BYTES);
      const isLast = at + PART_BYTES >= whole.length;
      const parts: WireData[] = part.length === 0 ? [] : [["base64", part.toBase64()]];
      await host.call("net.write", [number, parts, ends && isLast], this.#gone.signal);
      this.bytesWritten += part.length;
      this.#moved();
    }
  }

  #moved(): void {
    clearTimeout(this.#timer);
    const { timeout } = this;
    if (timeout && timeout > 0 && !this.destroyed) this.#timer = setTimeout(() => void this.emit("timeout"), timeout);
  }
}

const familyOf = (address: string): string => (address.includes(":") ? "IPv6" : "IPv4");

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
