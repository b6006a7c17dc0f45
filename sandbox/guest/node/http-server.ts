/** The server of `node:http`. The host runs it on an address that only this machine can reach. */
import { STATUS_CODES } from "unenv/node/internal/http/constants";
import type { AnswerOf, HttpRequest } from "../../wire/answers.ts";
import type { ArgumentsOf } from "../../wire/operations.ts";
import { EventEmitter } from "./events.ts";
import { fault } from "./fault.ts";
import { host } from "./host.ts";
import { IncomingMessage, OutgoingMessage } from "./http-messages.ts";
import { nodeError, validatePort } from "./http-words.ts";

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
    if (this.headersSent)
      throw fault(Error, "ERR_HTTP_HEADERS_SENT", "Cannot write headers after they are sent to the client");
    this.statusCode = checkedStatus(status);
    if (typeof first === "string") this.statusMessage = first;
    this.takeHeaders(typeof first === "string" ? second : (first ?? second));
    this.headersSent = true;
    return this;
  }

  writeContinue(): void {}

  protected dispatch(): void {
    respond(this.#server, this.#id, {
      status: checkedStatus(this.statusCode),
      statusText: this.statusMessage || (STATUS_CODES[this.statusCode] ?? ""),
      headers: this.headerPairs(),
      body: this.wireBody() ?? EMPTY,
    }).then(
      () => this.destroy(),
      (error) => this.destroy(error),
    );
  }
}

function checkedStatus(status: unknown): number {
  if (Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999) return status as number;
  throw fault(RangeError, "ERR_HTTP_INVALID_STATUS_CODE", `Invalid status code: ${String(status)}`);
}

const EMPTY = ["utf8", ""] as const;

const respond = (server: number, id: number, response: ArgumentsOf<"net.respond">[2]): Promise<unknown> =>
  patiently(() => host.call("net.respond", [server, id, response]));

const PAUSE_MS = 100;

/** Repeats a call while it is over the hook's rate limit, since many clients can send requests at once. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if ((error as { code?: string }).code !== "RATE_LIMITED") throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
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
  #address: AnswerOf<"net.listen"> | undefined;
  /** True from `listen` to `close`. */
  #wanted = false;

  constructor(handler: Handler | undefined) {
    super();
    if (handler) this.on("request", handler);
  }

  /** `listen(port?, host?, backlog?, listener?)` or `listen({port, host}, listener?)`. */
  listen(...given: unknown[]): this {
    if (this.#wanted)
      throw fault(Error, "ERR_SERVER_ALREADY_LISTEN", "Listen method has been called more than once without closing.");
    const listener = given.find((one) => typeof one === "function") as (() => void) | undefined;
    const options =
      typeof given[0] === "object" && given[0] !== null
        ? (given[0] as { port?: unknown; host?: unknown })
        : { port: given[0], host: typeof given[1] === "string" ? given[1] : undefined };
    const port = typeof options.port === "function" ? 0 : (options.port ?? 0);
    validatePort(port);
    if (listener) this.once("listening", listener);
    this.#wanted = true;
    host.call("net.listen", [String(options.host ?? ""), Number(port)]).then(
      (address) => {
        if (!this.#wanted) {
          this.#unlisten(address.server);
          return;
        }
        this.#address = address;
        this.listening = true;
        void this.#serve(address.server);
        this.emit("listening");
      },
      (error) => {
        this.#wanted = false;
        this.#fail(nodeError(error));
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
    if (!this.#wanted) {
      const error = fault(Error, "ERR_SERVER_NOT_RUNNING", "Server is not running.");
      if (done) queueMicrotask(() => done(error));
      return this;
    }
    if (done) this.once("close", done);
    this.#wanted = false;
    this.listening = false;
    if (this.#address) this.#unlisten(this.#address.server);
    this.#address = undefined;
    return this;
  }

  #unlisten(server: number): void {
    const closed = (): void => void this.emit("close");
    patiently(() => host.call("net.unlisten", [server])).then(closed, closed);
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

  /** Accepts requests until the hook or the host closes the server. */
  async #serve(server: number): Promise<void> {
    for (;;) {
      const asked = await patiently(() => host.call("net.accept", [server])).catch((error) => {
        this.#fail(error);
        return null;
      });
      if (!asked) break;
      queueMicrotask(() => this.#handle(server, asked));
    }
    this.#address = undefined;
    this.listening = false;
    // The host closed it, since the grant was revoked.
    if (this.#wanted) this.emit("close");
    this.#wanted = false;
  }

  /** Reports an error of the server. Without a listener it is logged, so that it does not end the hook. */
  #fail(error: unknown): void {
    if (this.listenerCount("error") > 0) this.emit("error", error);
    else console.error(`http server: ${(error as Error).message}`);
  }

  /** Responds with status 500, so that the client does not wait for a response that will not come. */
  #giveUp(server: number, id: number): void {
    respond(server, id, { status: 500, statusText: "Internal Server Error", headers: [], body: EMPTY }).catch(() => {});
  }

  #handle(server: number, { id, method, url, headers, body }: HttpRequest): void {
    const response = new ServerResponse(server, id);
    // A client that disconnects, or a response that cannot be sent, must not end the hook.
    response.on("error", (error) => {
      console.warn(`a response could not be sent: ${(error as Error).message}`);
      this.#giveUp(server, id);
    });
    try {
      if (!this.emit("request", new IncomingMessage(headers, body, { method, url }), response)) response.end();
    } catch (thrown) {
      this.#giveUp(server, id);
      throw thrown;
    }
  }
}

export const createServer = (first?: unknown, second?: unknown): Server =>
  new Server((typeof first === "function" ? first : second) as Handler | undefined);
