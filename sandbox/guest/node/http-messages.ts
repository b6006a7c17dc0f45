/** The messages of `node:http`, as streams over complete bodies. */
import { Buffer } from "./buffer.ts";
import { fault } from "./fault.ts";
import { validateHeaderName, validateHeaderValue } from "./http-words.ts";
import { Readable, Writable } from "./stream.ts";
import { bufferOf, MAX_MESSAGE, toWire, type WireData } from "./wire-data.ts";

/** Alternating names and values, as received. */
type RawHeaders = readonly string[];

/** Headers of which only the first value counts, as in Node. */
const FIRST = new Set(
  "age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent".split(
    " ",
  ),
);

/** The headers in Node's form: names in lower case, several values of one name joined. */
function headersOf(raw: RawHeaders): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [(raw[at] as string).toLowerCase(), raw[at + 1] as string];
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (name === "__proto__") continue;
    if (name === "set-cookie") headers[name] = [...((known as string[] | undefined) ?? []), value];
    else if (known === undefined) headers[name] = value;
    else if (!FIRST.has(name)) headers[name] = `${known}${name === "cookie" ? "; " : ", "}${value}`;
  }
  return headers;
}

const SOCKET = Object.freeze({ remoteAddress: "127.0.0.1", remoteFamily: "IPv4", encrypted: false, destroyed: false });

/** A received message: a request in a server, a response in a client. */
export class IncomingMessage extends Readable {
  readonly headers: Record<string, string | string[]>;
  readonly rawHeaders: RawHeaders;
  readonly httpVersion: string = "1.1";
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly aborted = false;
  readonly trailers = {};
  readonly rawTrailers = [];
  readonly method: string | null = null;
  readonly url: string = "";
  readonly statusCode: number | null = null;
  readonly statusMessage: string | null = null;
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
    Object.assign(this, first);
  }

  /** All values of each name. */
  get headersDistinct(): Record<string, string[]> {
    const all: Record<string, string[]> = Object.create(null);
    for (let at = 0; at + 1 < this.rawHeaders.length; at += 2) {
      const name = (this.rawHeaders[at] as string).toLowerCase();
      all[name] = [...(all[name] ?? []), this.rawHeaders[at + 1] as string];
    }
    return all;
  }

  get connection(): typeof SOCKET {
    return this.socket;
  }

  setTimeout(): this {
    return this;
  }
}

/** A message to be sent. It is sent as a whole at its end, so its headers can change until then. */
export abstract class OutgoingMessage extends Writable {
  readonly #headers = new Map<string, [name: string, value: unknown]>();
  readonly #parts: Uint8Array[] = [];
  #length = 0;
  headersSent = false;
  readonly socket = SOCKET;

  constructor() {
    // It is destroyed when the answer has arrived, not when it is written.
    super({ decodeStrings: true, autoDestroy: false });
  }

  setHeader(name: unknown, value: unknown): this {
    if (this.headersSent)
      throw fault(Error, "ERR_HTTP_HEADERS_SENT", "Cannot set headers after they are sent to the client");
    validateHeaderName(name);
    for (const one of Array.isArray(value) ? value : [value]) validateHeaderValue(String(name), one);
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
    if (this.#length > MAX_MESSAGE) {
      done(new RangeError(`the body is over the limit of ${MAX_MESSAGE} bytes`));
      return;
    }
    this.#parts.push(chunk);
    done();
  }

  override _final(done: (error?: Error) => void): void {
    this.headersSent = true;
    try {
      this.dispatch();
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  /** Sends the message. */
  protected abstract dispatch(): void;
}
