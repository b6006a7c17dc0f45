/** The messages of `node:http`, as streams over whole bodies. */
import { Buffer } from "unenv/node/buffer";
import { Readable, Writable } from "./stream.ts";
import { bufferOf, MAX_BYTES, toWire, type WireData } from "./wire-data.ts";

/** Name and value in turn, as they came. */
type RawHeaders = readonly string[];

/** Of these only the first counts, as in Node. */
const FIRST = new Set(["authorization", "content-length", "content-type", "host", "location", "user-agent"]);

/** Headers as Node shows them: names in lower case, several values of one name joined. */
function headersOf(raw: RawHeaders): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [(raw[at] as string).toLowerCase(), raw[at + 1] as string];
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (name === "set-cookie") headers[name] = [...((known as string[] | undefined) ?? []), value];
    else if (known === undefined) define(headers, name, value);
    else if (!FIRST.has(name)) headers[name] = `${known}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return headers;
}

/** `__proto__` is a header's name like any other. */
function define(headers: object, name: string, value: string): void {
  Object.defineProperty(headers, name, { value, writable: true, enumerable: true, configurable: true });
}

const SOCKET = Object.freeze({ remoteAddress: "127.0.0.1", remoteFamily: "IPv4", encrypted: false, destroyed: false });

/** What was received: by a server a request, by a client a response. */
export class IncomingMessage extends Readable {
  readonly headers: Record<string, string | string[]>;
  readonly rawHeaders: RawHeaders;
  readonly httpVersion: string = "1.1";
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly statusCode: number | undefined;
  readonly statusMessage: string | undefined;
  readonly complete = true;
  readonly socket = SOCKET;

  constructor(
    rawHeaders: RawHeaders,
    body: WireData,
    first: { method: string; url: string } | { statusCode: number; statusMessage: string },
  ) {
    const bytes = bufferOf(body);
    super({
      read() {
        if (bytes.length > 0) this.push(bytes);
        this.push(null);
      },
    });
    this.rawHeaders = rawHeaders;
    this.headers = headersOf(rawHeaders);
    if ("method" in first) {
      this.method = first.method;
      this.url = first.url;
    } else {
      this.statusCode = first.statusCode;
      this.statusMessage = first.statusMessage;
    }
  }

  get connection(): typeof SOCKET {
    return this.socket;
  }

  setTimeout(): this {
    return this;
  }
}

/** What is to be sent: its headers may change until its end, when it goes out whole. */
export abstract class OutgoingMessage extends Writable {
  readonly #headers = new Map<string, [name: string, value: unknown]>();
  readonly #parts: Uint8Array[] = [];
  #length = 0;
  headersSent = false;
  readonly socket = SOCKET;

  constructor() {
    // It ends when its answer is there, not when it is written.
    super({ decodeStrings: true, autoDestroy: false });
  }

  setHeader(name: unknown, value: unknown): this {
    if (this.headersSent)
      throw Object.assign(new Error("Cannot set headers after they are sent to the client"), {
        code: "ERR_HTTP_HEADERS_SENT",
      });
    this.#headers.set(String(name).toLowerCase(), [String(name), value]);
    return this;
  }

  setHeaders(headers: Iterable<readonly [string, unknown]>): this {
    for (const [name, value] of headers) this.setHeader(name, value);
    return this;
  }

  appendHeader(name: unknown, value: unknown): this {
    const known = this.getHeader(name);
    return this.setHeader(name, known === undefined ? value : [known, value].flat());
  }

  getHeader(name: unknown): unknown {
    return this.#headers.get(String(name).toLowerCase())?.[1];
  }

  getHeaders(): Record<string, unknown> {
    return Object.fromEntries([...this.#headers].map(([key, [, value]]) => [key, value]));
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  hasHeader(name: unknown): boolean {
    return this.#headers.has(String(name).toLowerCase());
  }

  removeHeader(name: unknown): void {
    this.#headers.delete(String(name).toLowerCase());
  }

  flushHeaders(): void {}

  get connection(): typeof SOCKET {
    return this.socket;
  }

  /** Headers from an object, a flat list or a list of pairs. */
  protected takeHeaders(headers: unknown): void {
    if (Array.isArray(headers)) {
      const flat = headers.flat();
      for (let at = 0; at + 1 < flat.length; at += 2) this.appendHeader(flat[at], flat[at + 1]);
    } else if (typeof headers === "object" && headers !== null) {
      const pairs = Symbol.iterator in headers ? (headers as Iterable<[string, unknown]>) : Object.entries(headers);
      for (const [name, value] of pairs) if (value !== undefined) this.setHeader(name, value);
    }
  }

  protected headerPairs(): [string, string][] {
    return [...this.#headers.values()].flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
    );
  }

  protected wireBody(): WireData | undefined {
    if (this.#length === 0) return undefined;
    return toWire(Buffer.concat(this.#parts), undefined, () => new RangeError("too large"));
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.#length += chunk.length;
    if (this.#length > MAX_BYTES) {
      done(new RangeError(`a body of more than ${MAX_BYTES} bytes is more than a hook sends`));
      return;
    }
    this.#parts.push(chunk);
    done();
  }

  override _final(done: (error?: Error) => void): void {
    this.headersSent = true;
    this.dispatch();
    done();
  }

  /** Sends what there is. */
  protected abstract dispatch(): void;
}
