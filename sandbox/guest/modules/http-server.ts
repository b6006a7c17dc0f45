/** The server of `node:http`, which the host keeps on this machine's own address. */
import { EventEmitter } from "unenv/node/events";
import { STATUS_CODES } from "unenv/node/internal/http/constants";
import { host } from "./host.ts";
import { IncomingMessage, OutgoingMessage } from "./http-messages.ts";
import type { WireData } from "./wire-data.ts";

interface Asked {
  id: number;
  method: string;
  url: string;
  headers: string[];
  body: WireData;
}

interface Address {
  server: number;
  host: string;
  port: number;
}

export class ServerResponse extends OutgoingMessage {
  statusCode = 200;
  statusMessage = "";
  sendDate = true;
  readonly #server: number;
  readonly #id: number;

  constructor(server: number, id: number) {
    super();
    this.#server = server;
    this.#id = id;
  }

  writeHead(status: number, first?: unknown, second?: unknown): this {
    this.statusCode = status;
    if (typeof first === "string") this.statusMessage = first;
    this.takeHeaders(typeof first === "string" ? second : (first ?? second));
    return this;
  }

  writeContinue(): void {}

  protected dispatch(): void {
    const response = {
      status: this.statusCode,
      statusText: this.statusMessage || (STATUS_CODES[this.statusCode] ?? ""),
      headers: this.headerPairs(),
      body: this.wireBody() ?? ["utf8", ""],
    };
    host.call("net.respond", [this.#server, this.#id, response]).then(
      () => this.destroy(),
      (error) => this.destroy(error),
    );
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export class Server extends EventEmitter {
  listening = false;
  timeout = 0;
  keepAliveTimeout = 5000;
  headersTimeout = 30_000;
  requestTimeout = 30_000;
  maxConnections: number | undefined;
  #address: Address | undefined;
  #over: AbortController | undefined;

  constructor(handler: Handler | undefined) {
    super();
    if (handler) this.on("request", handler as never);
  }

  /** `listen(port?, host?, backlog?, listener?)` or `listen({port, host}, listener?)`. */
  listen(...given: unknown[]): this {
    if (this.#over)
      throw Object.assign(new Error("Listen method has been called more than once without closing."), {
        code: "ERR_SERVER_ALREADY_LISTEN",
      });
    const listener = given.find((one) => typeof one === "function") as (() => void) | undefined;
    const options =
      typeof given[0] === "object" && given[0] !== null
        ? (given[0] as { port?: unknown; host?: unknown })
        : { port: given[0], host: typeof given[1] === "string" ? given[1] : undefined };
    const port = Number(options.port ?? 0);
    if (typeof options.port === "function" || !(Number.isInteger(port) && port >= 0 && port < 65_536))
      throw Object.assign(new RangeError("options.port should be >= 0 and < 65536."), { code: "ERR_SOCKET_BAD_PORT" });
    if (listener) this.once("listening", listener);
    const over = new AbortController();
    this.#over = over;
    (host.call("net.listen", [String(options.host ?? ""), port]) as Promise<Address>).then(
      (address) => {
        this.#address = address;
        this.listening = true;
        void this.#serve(address.server, over.signal);
        if (!over.signal.aborted) this.emit("listening");
      },
      (error) => {
        this.#over = undefined;
        this.emit("error", error);
      },
    );
    return this;
  }

  address(): { address: string; family: string; port: number } | null {
    if (!this.#address) return null;
    const { host: address, port } = this.#address;
    return { address, family: address.includes(":") ? "IPv6" : "IPv4", port };
  }

  close(done?: (error?: Error) => void): this {
    const over = this.#over;
    if (!over) {
      const error = Object.assign(new Error("Server is not running."), { code: "ERR_SERVER_NOT_RUNNING" });
      if (done) queueMicrotask(() => done(error));
      return this;
    }
    if (done) this.once("close", done);
    over.abort();
    return this;
  }

  closeAllConnections(): void {}
  closeIdleConnections(): void {}

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Takes requests until the server is closed, here or by the host. */
  async #serve(server: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      let asked: Asked | null = null;
      try {
        asked = (await host.call("net.accept", [server], signal)) as Asked | null;
      } catch (error) {
        if (!signal.aborted) this.emit("error", error);
      }
      if (!asked) break;
      // The next one is awaited first: closing must reach the host from a handler, too.
      queueMicrotask(() => this.#handle(server, asked));
    }
    this.listening = false;
    this.#address = undefined;
    this.#over = undefined;
    this.emit("close");
  }

  #handle(server: number, { id, method, url, headers, body }: Asked): void {
    const response = new ServerResponse(server, id);
    // A client that went away, or an answer that cannot be sent, is nothing to end a hook for.
    response.on("error", (error) => console.warn(`a response could not be sent: ${(error as Error).message}`));
    if (!this.emit("request", new IncomingMessage(headers, body, { method, url }), response)) response.end();
  }
}

export const createServer = (first?: unknown, second?: unknown): Server =>
  new Server((typeof first === "function" ? first : second) as Handler | undefined);
