/** The client of `node:http` and `node:https`, over the host's net power. */
import type { ArgumentsOf } from "../../wire/operations.ts";
import { fault, unavailable } from "./fault.ts";
import { host } from "./host.ts";
import { IncomingMessage, OutgoingMessage } from "./http-messages.ts";
import { nodeError, validateMethod, validatePath, validatePort } from "./http-words.ts";

interface Options {
  protocol?: string;
  hostname?: string;
  host?: string;
  port?: number | string;
  path?: string;
  method?: string;
  headers?: unknown;
  auth?: string;
  timeout?: number;
  signal?: AbortSignal;
  [name: string]: unknown;
}

type Listener = (response: IncomingMessage) => void;

/** Options for kinds of connections that the host does not make. */
const REFUSED = ["agent", "createConnection", "socketPath", "lookup", "localAddress", "ca", "cert", "key", "pfx"];

export class ClientRequest extends OutgoingMessage {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly protocol: string;
  aborted = false;
  readonly #url: string;
  readonly #over = new AbortController();
  #timeout: ReturnType<typeof setTimeout> | undefined;
  #answered = false;

  constructor(url: URL, options: Options, listener: Listener | undefined) {
    super();
    const refused = REFUSED.find((name) => options[name] !== undefined && options[name] !== false);
    if (refused !== undefined && !(refused === "agent" && options.agent instanceof Agent))
      throw unavailable(`http.request: ${refused} is not offered to hooks`);
    if (options.rejectUnauthorized === false)
      throw unavailable("https.request: certificates are always checked: rejectUnauthorized cannot be false");
    validateMethod(options.method);
    this.method = (options.method || "GET").toUpperCase();
    this.protocol = url.protocol;
    this.host = url.hostname;
    this.path = `${url.pathname}${url.search}`;
    this.#url = url.href;
    this.takeHeaders(options.headers);
    if (typeof options.auth === "string") this.setHeader("Authorization", `Basic ${btoa(options.auth)}`);
    if (listener) this.once("response", listener);
    if (options.timeout) this.setTimeout(options.timeout);
    const { signal } = options;
    const giveUp = (): void => void this.destroy(nodeError(signal?.reason) as Error);
    if (signal?.aborted) queueMicrotask(giveUp);
    else signal?.addEventListener("abort", giveUp, { once: true });
  }

  setTimeout(ms: number, listener?: () => void): this {
    if (listener) this.once("timeout", listener);
    clearTimeout(this.#timeout);
    if (ms > 0) this.#timeout = setTimeout(() => void this.emit("timeout"), ms);
    return this;
  }

  setNoDelay(): void {}
  setSocketKeepAlive(): void {}

  abort(): void {
    this.aborted = true;
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timeout);
    this.#over.abort();
    const early = !this.#answered && !error;
    done(early ? fault(Error, "ECONNRESET", "socket hang up") : error);
  }

  protected dispatch(): void {
    const body = this.wireBody();
    const asked: ArgumentsOf<"net.request">[0] = {
      method: this.method,
      url: this.#url,
      headers: this.headerPairs(),
      redirect: "manual",
      bytes: true,
      ...(body ? { body } : {}),
    };
    host.call("net.request", [asked], this.#over.signal).then(
      ({ status, statusText, headers, body: received }) => {
        if (this.destroyed) return;
        this.#answered = true;
        clearTimeout(this.#timeout);
        const message = new IncomingMessage(headers, this.method === "HEAD" ? ["utf8", ""] : received, {
          statusCode: status,
          statusMessage: statusText,
        });
        // If nobody listens, the response is dropped, as in Node.
        if (!this.emit("response", message)) message.resume();
        message.once("end", () => this.destroy());
      },
      (error) => this.destroy(nodeError(error) as Error),
    );
  }
}

/** Replaces Node's `Agent`. The host makes the connections, one for each request. */
export class Agent {
  readonly options: object;
  readonly maxSockets = Number.POSITIVE_INFINITY;

  constructor(options: object = {}) {
    this.options = options;
  }

  destroy(): void {}
}

function urlOf(given: unknown): URL {
  const text = String((given as URL).href ?? given);
  const url = URL.parse(text);
  if (url) return url;
  throw fault(TypeError, "ERR_INVALID_URL", "Invalid URL", { input: text });
}

/** Sets the host name of a URL. Checks it first: `URL` ignores an invalid name, and would keep the old one. */
function setHost(url: URL, name: string): void {
  const host = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
  const made = /[/?#@\\\s]/.test(host) ? null : URL.parse(`${url.protocol}//${host}`);
  if (made?.port !== "" || made.hostname === "")
    throw fault(Error, "ENOTFOUND", `getaddrinfo ENOTFOUND ${name}`, { syscall: "getaddrinfo", hostname: name });
  url.hostname = made.hostname;
}

/** `request` and `get` for one protocol. */
export function client(protocol: "http:" | "https:") {
  const request = (first: unknown, second?: unknown, third?: unknown): ClientRequest => {
    const listener = [first, second, third].find((one) => typeof one === "function") as Listener | undefined;
    const fromUrl = typeof first === "string" || (typeof first === "object" && first !== null && "href" in first);
    const given = (fromUrl ? second : first) as Options | undefined;
    const options: Options = typeof given === "object" && given !== null ? given : {};
    const url = fromUrl ? urlOf(first) : new URL(`${protocol}//localhost`);
    const wanted = fromUrl ? url.protocol : (options.protocol ?? protocol);
    if (wanted !== protocol)
      throw fault(TypeError, "ERR_INVALID_PROTOCOL", `Protocol "${wanted}" not supported. Expected "${protocol}"`);
    const name = options.hostname ?? options.host;
    if (name !== undefined) setHost(url, String(name));
    if (options.port !== undefined && options.port !== "") {
      validatePort(options.port);
      url.port = String(options.port);
    }
    const { path } = options;
    if (path !== undefined) validatePath(path);
    const target = path === undefined ? url : new URL(path.startsWith("/") ? `${url.origin}${path}` : path, url);
    if (url.username !== "" && options.auth === undefined)
      options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    target.username = "";
    target.password = "";
    target.hash = "";
    return new ClientRequest(target, options, listener);
  };
  const get = (first: unknown, second?: unknown, third?: unknown): ClientRequest => {
    const made = request(first, second, third);
    made.end();
    return made;
  };
  return { request, get };
}
