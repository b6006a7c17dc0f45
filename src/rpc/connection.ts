import type { Readable, Writable } from "node:stream";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { InexactJson, parseExact } from "../base/exact-json.ts";
import { readLines } from "../base/lines.ts";
import { oneLine } from "../base/one-line.ts";

/** Longest line that is read, in bytes: an event with a large image fits. */
const MAX_LINE = 32 * 1024 * 1024;

export type Id = string | number;

const utf8 = new TextDecoder("utf-8", { fatal: true });

const idOf = (id: unknown): Id | null => (typeof id === "string" || typeof id === "number" ? id : null);

/** The id of a message that is refused as a whole, if it has one: the sender waits for an answer. */
const idIn = (line: string): Id | null => idOf(Object(readJson(line)).id);

/** An error that answers a request. */
export class RpcError extends Error {
  readonly rpcCode: number;
  readonly data: object | undefined;

  constructor(rpcCode: number, message: string, data?: object) {
    super(message);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

export interface RpcHandler {
  /** Answers a request; throws an {@link RpcError} to refuse it. */
  request(method: string, params: Record<string, unknown>, id: Id): Promise<unknown>;
  notification(method: string, params: Record<string, unknown>): void;
  /** The input has ended, or nobody reads the output any more. `isAsked`: questions to it were not answered yet. */
  closed(isAsked: boolean): void;
}

/** JSON-RPC 2.0 over two streams, one message a line, in both directions. */
export class RpcConnection {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #handler: RpcHandler;
  readonly #pending = new Map<Id, (answer: { result?: unknown; error?: unknown }) => void>();
  /** Ids of requests that are not answered yet. */
  readonly #inFlight = new Set<Id>();
  #lastId = 0;
  #closed = false;
  #ended = false;

  constructor(input: Readable, output: Writable, handler: RpcHandler) {
    this.#input = input;
    this.#output = output;
    this.#handler = handler;
    output.on("error", () => {
      this.#closed = true;
      this.#end();
    });
    readLines(input, MAX_LINE, {
      line: (bytes) => this.#line(bytes),
      tooLong: () => this.#refuse(null, -32600, `a line over ${MAX_LINE} bytes`),
      end: () => this.#end(),
    });
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Asks the other side. Resolves with `undefined` when it answers with an error or is gone. */
  async ask(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (this.#closed || this.#ended || signal?.aborted) return undefined;
    const id = `cordon-${++this.#lastId}`;
    return new Promise((resolve) => {
      const cancel = (): void => {
        this.notify("cancel", { id });
        settle({});
      };
      const settle = (answer: { result?: unknown }): void => {
        this.#pending.delete(id);
        signal?.removeEventListener("abort", cancel);
        resolve(answer.result);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      this.#pending.set(id, settle);
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** Resolves once everything written has been taken. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed || this.#output.destroyed) resolve();
      else this.#output.write("", () => resolve());
    });
  }

  #line(bytes: Buffer): void {
    let line = "";
    let message: unknown;
    try {
      line = utf8.decode(bytes);
      if (line.trim() === "") return;
      message = parseExact(line);
    } catch (error) {
      if (error instanceof InexactJson) this.#refuse(idIn(line), -32600, error.message);
      else this.#refuse(null, -32700, error instanceof SyntaxError ? "not JSON" : "not UTF-8");
      return;
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      this.#refuse(null, -32600, Array.isArray(message) ? "batches are not supported" : "a message must be an object");
      return;
    }
    const { jsonrpc, id, method, params = {}, result, error } = message as Record<string, unknown>;
    const sender = idOf(id);
    if (jsonrpc !== "2.0" || (id !== undefined && sender === null))
      this.#refuse(sender, -32600, 'a message needs jsonrpc "2.0", and an id that is a string or a number');
    else if (typeof method === "string") this.#called(method, params, sender);
    else if (sender !== null && method === undefined && (result !== undefined || error !== undefined))
      this.#pending.get(sender)?.(error === undefined ? { result } : { error });
    else this.#refuse(sender, -32600, "a message needs a method, or a result or an error");
  }

  #called(method: string, params: unknown, id: Id | null): void {
    if (typeof params !== "object" || params === null || Array.isArray(params)) {
      if (id !== null) this.#refuse(id, -32602, "params must be an object");
      return;
    }
    if (id === null) {
      this.#handler.notification(method, params as Record<string, unknown>);
      return;
    }
    // Its answer and its cancel would be those of the first.
    if (this.#inFlight.has(id)) {
      this.#refuse(id, -32600, `the id ${JSON.stringify(id)} is of a request that is not answered yet`);
      return;
    }
    this.#inFlight.add(id);
    void this.#handler
      .request(method, params as Record<string, unknown>, id)
      .finally(() => this.#inFlight.delete(id))
      .then(
        (result) => this.#send({ jsonrpc: "2.0", id, result: result ?? null }),
        (error) => {
          const known = error instanceof RpcError ? error : new RpcError(-32603, (error as Error).message);
          this.#refuse(id, known.rpcCode, known.message, known.data);
        },
      );
  }

  #refuse(id: Id | null, code: number, message: string, data?: object): void {
    this.#send({ jsonrpc: "2.0", id, error: { code, message, data } });
  }

  #send(message: object): void {
    if (this.#closed || this.#output.destroyed) return;
    // Else a text of a hook's could end a line for its reader, and answer another request.
    if (this.#output.write(`${oneLine(JSON.stringify(message))}\n`) || this.#input.isPaused()) return;
    // While the other side reads slowly, no further input is read either.
    this.#input.pause();
    this.#output.once("drain", () => this.#input.resume());
  }

  /** The other side sends nothing more. Answers that it waits for are still written. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const open = [...this.#pending.values()];
    this.#handler.closed(open.length > 0);
    for (const settle of open) settle({});
  }
}
