/** `fetch` and its classes over the host's net power. */
import type { HttpAnswer } from "../../wire/answers.ts";
import type { ArgumentsOf } from "../../wire/operations.ts";
import { Arrived, type Arriving, Body, fromStream, isStream, type Source, takeBody } from "./fetch-body.ts";
import { Headers } from "./fetch-headers.ts";
import { host } from "./host.ts";
import { BAD_VALUE, TOKEN } from "./http-words.ts";
import { bufferOf } from "./wire-data.ts";

interface RequestInit {
  method?: unknown;
  headers?: ConstructorParameters<typeof Headers>[0];
  body?: unknown;
  redirect?: unknown;
  signal?: AbortSignal | null;
}

const METHODS = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]);

/** The usual methods in upper case, all others unchanged. */
function methodOf(given: unknown): string {
  const method = String(given);
  return METHODS.has(method.toUpperCase()) ? method.toUpperCase() : method;
}

/** Methods that Node's `fetch` refuses. */
const FORBIDDEN_METHODS = /^(CONNECT|TRACE|TRACK)$/i;

export class Request extends Body {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: "follow" | "manual" | "error";
  readonly signal: AbortSignal;

  constructor(input: unknown, init: RequestInit = {}) {
    const from = isRequest(input) ? input : undefined;
    const given = init.body === undefined ? undefined : takeBody(init.body);
    super(given ? given.data : from?.use());
    const url = URL.parse(from ? from.url : String(input));
    if (!url) throw new TypeError(`Failed to parse URL from ${String(input).slice(0, 200)}`);
    if (url.username !== "" || url.password !== "")
      throw new TypeError("Request cannot be constructed from a URL that includes credentials");
    this.url = url.href;
    this.method = methodOf(init.method ?? from?.method ?? "GET");
    if (!TOKEN.test(this.method)) throw new TypeError(`'${this.method}' is not a valid HTTP method.`);
    if (FORBIDDEN_METHODS.test(this.method)) throw new TypeError(`'${this.method}' HTTP method is unsupported.`);
    this.headers = new Headers(init.headers ?? from?.headers);
    if (given?.type !== undefined && !this.headers.has("content-type")) this.headers.set("content-type", given.type);
    const redirect = init.redirect ?? from?.redirect ?? "follow";
    if (redirect !== "follow" && redirect !== "manual" && redirect !== "error")
      throw new TypeError(`redirect must be follow, manual or error, not ${String(redirect)}`);
    this.redirect = redirect;
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
    if (this.peek() && (this.method === "GET" || this.method === "HEAD"))
      throw new TypeError("Request with GET/HEAD method cannot have body.");
  }

  clone(): Request {
    return another(this, this.fork());
  }

  /** The request for the host, as plain data. */
  plain(): ArgumentsOf<"net.request">[0] {
    const data = this.data();
    const { method, url, redirect, headers } = this;
    return { method, url, redirect, headers: [...headers], ...(data ? { body: data } : {}) };
  }
}

// Outside of the class, since the bundler renames a class that uses its own name.
const isRequest = (value: unknown): value is Request => value instanceof Request;
const another = (request: Request, data: Source | undefined): Request =>
  new Request(request.url, { ...request, headers: request.headers, body: new Arrived(data) });

interface ResponseInit {
  status?: number;
  statusText?: unknown;
  headers?: ConstructorParameters<typeof Headers>[0];
}

/** Statuses without a body. */
const EMPTY = new Set([204, 205, 304]);

export class Response extends Body {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly type: string;
  readonly url: string;
  readonly redirected: boolean;

  constructor(body?: unknown, init: ResponseInit = {}) {
    const { data, type } = isStream(body) ? { data: fromStream(body), type: undefined } : takeBody(body);
    super(data);
    const from = body instanceof Arrived ? body.from : undefined;
    this.type = from ? "basic" : "default";
    this.url = from?.url ?? "";
    this.redirected = from?.redirected ?? false;
    this.status = init.status ?? 200;
    if (!Number.isInteger(this.status) || this.status < 200 || this.status > 599)
      throw new RangeError(`the status of a response must be from 200 to 599, not ${this.status}`);
    if (data && !from && EMPTY.has(this.status))
      throw new TypeError(`Response constructor: Invalid response status code ${this.status}`);
    this.statusText = String(init.statusText ?? "");
    if (BAD_VALUE.test(this.statusText)) throw new TypeError("Invalid statusText");
    this.headers = new Headers(init.headers);
    if (type !== undefined && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  clone(): Response {
    return responseOf(new Arrived(this.fork(), this.type === "basic" ? this : undefined), this);
  }

  static json(value: unknown, init: ResponseInit = {}): Response {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError("The value is not JSON serializable");
    return responseOf(text, { ...init, headers });
  }

  static redirect(url: unknown, status = 302): Response {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Invalid status code ${status}`);
    return responseOf(null, { status, headers: { location: new URL(String(url)).href } });
  }

  static error(): Response {
    throw new TypeError("Response.error is not offered to hooks");
  }
}

const responseOf = (body: unknown, init: ResponseInit): Response => new Response(body, init);

/** The body that comes over a connection of the host's. `signal`: the request's. */
function arriving(stream: number, signal: AbortSignal): Arriving {
  const waiting: Uint8Array[] = [];
  let isOver = false;
  const end = (): void => {
    isOver = true;
    signal.removeEventListener("abort", end);
    host.call("net.close", [stream, {}]).catch(() => {});
  };
  signal.addEventListener("abort", end);
  return {
    async next() {
      while (waiting.length === 0 && !isOver) {
        try {
          const { parts, ended } = await host.call("net.read", [stream], signal);
          for (const part of parts) waiting.push(bufferOf(part));
          if (ended) end();
        } catch (error) {
          end();
          if (signal.aborted) throw signal.reason;
          throw Object.assign(new TypeError("terminated"), { cause: error });
        }
      }
      signal.throwIfAborted();
      return waiting.shift();
    },
    cancel: end,
  };
}

function arrived(answer: HttpAnswer, { method, signal }: Request): Response {
  const { headers: flat, status, stream, body } = answer;
  const pairs = flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""] as const] : []));
  const source = stream === undefined ? body : arriving(stream, signal);
  const data = EMPTY.has(status) || method === "HEAD" ? undefined : source;
  return new Response(new Arrived(data, answer), { ...answer, headers: new Headers(pairs) });
}

/** As in Node, a network error is the cause of a `TypeError`. A refusal by Cordon is thrown unchanged. */
export async function fetch(input: unknown, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { signal } = request;
  signal.throwIfAborted();
  try {
    return arrived(await host.call("net.request", [{ ...request.plain(), streams: true }], signal), request);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (/^(NOT_GRANTED|RATE_LIMITED)$/.test((error as { code?: string }).code ?? "")) throw error;
    throw Object.assign(new TypeError("fetch failed"), { cause: error });
  }
}

export { Headers };
