import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpRequest } from "../../sandbox/wire/answers.ts";
import type { ArgumentsOf } from "../../sandbox/wire/operations.ts";
import { readAll } from "./net-exchange.ts";
import type { Endpoint } from "./net-grant.ts";

/** What a hook answers. */
export type Response = ArgumentsOf<"net.respond">[2];

const MAX_BODY_BYTES = 1024 * 1024;

/** Requests of one server that its hook has not taken yet, and connections to it. */
const MAX_WAITING = 64;
const MAX_CONNECTIONS = 64;

/** For a whole request to come in, and for the hook to answer it. */
const MAX_MS = 30_000;

const closed = (): Error => new Error("the server was closed");

/** A web server of one hook's, on this machine's own address. What comes in waits until the hook takes it. */
export class HookServer {
  readonly #server: Server;
  readonly #waiting: HttpRequest[] = [];
  readonly #unanswered = new Map<number, ServerResponse>();
  #take: ((request: HttpRequest | null) => void) | undefined;
  #last = 0;
  readonly #closed: () => void;
  readonly #mostMs: number;
  #isClosed = false;
  /** Nobody would say otherwise that it does not listen. */
  #giveUp: (reason: Error) => void = () => {};

  /** `closed`: called once, whoever closes it. */
  constructor(closed: () => void, mostMs = MAX_MS) {
    this.#closed = closed;
    this.#mostMs = mostMs;
    this.#server = createServer(
      {
        requestTimeout: mostMs,
        headersTimeout: mostMs,
        connectionsCheckingInterval: Math.min(mostMs, 1000),
        keepAlive: false,
      },
      (request, response) => void this.#received(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Resolves with where it listens; rejects as Node does, when the port is taken. */
  listen({ host, port }: Endpoint): Promise<Endpoint> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw closed();
      this.#server.once("error", reject);
      this.#giveUp = reject;
      this.#server.listen({ host, port, exclusive: true }, () => {
        this.#server.off("error", reject);
        if (this.#isClosed) {
          this.#server.close();
          return;
        }
        this.#server.on("error", () => this.close());
        // A host keeps no process alive by itself.
        this.#server.unref();
        resolve({ host, port: (this.#server.address() as AddressInfo).port });
      });
    });
  }

  /** The next request; null once the server is closed. */
  next(): Promise<HttpRequest | null> {
    const waiting = this.#waiting.shift();
    if (waiting) return Promise.resolve(waiting);
    if (!this.#server.listening) return Promise.resolve(null);
    this.#take?.(null);
    return new Promise((resolve) => {
      this.#take = resolve;
    });
  }

  /** False if nobody waits for it any more. */
  answer(id: number, { status, statusText, headers, body }: Response): boolean {
    const response = this.#unanswered.get(id);
    this.#unanswered.delete(id);
    if (!response || response.destroyed) return false;
    const bytes = Buffer.from(body[1], body[0]);
    try {
      response.writeHead(status, statusText, headers.flat());
      response.end(bytes);
    } catch (error) {
      response.destroy();
      throw error;
    }
    return true;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed();
    this.#giveUp(closed());
    this.#server.close();
    this.#server.closeAllConnections();
    this.#unanswered.clear();
    this.#take?.(null);
    this.#take = undefined;
  }

  async #received(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    try {
      const bytes = await readAll(request, MAX_BODY_BYTES, "the request");
      if (this.#waiting.length >= MAX_WAITING) throw Object.assign(new Error("too many"), { status: 503 });
      const id = ++this.#last;
      this.#unanswered.set(id, response);
      const late = setTimeout(() => {
        if (this.#unanswered.delete(id)) refuse(response, 504);
      }, this.#mostMs);
      late.unref();
      response.on("close", () => {
        clearTimeout(late);
        this.#unanswered.delete(id);
      });
      const received: HttpRequest = {
        id,
        method: request.method ?? "GET",
        url: request.url ?? "/",
        httpVersion: request.httpVersion,
        headers: request.rawHeaders,
        body: ["base64", bytes.toString("base64")],
      };
      const take = this.#take;
      this.#take = undefined;
      if (take) take(received);
      else this.#waiting.push(received);
    } catch (error) {
      refuse(response, (error as { status?: number }).status ?? 413);
    }
  }
}

function refuse(response: ServerResponse, status: number): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { connection: "close" });
  response.end();
}
