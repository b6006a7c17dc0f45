import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Longest line that is read: an event with a large image fits. */
const MAX_LINE = 32 * 1024 * 1024;

export type Id = string | number;

/** An error that a request is answered with. */
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
  /** The input has ended, or nobody reads the output any more. */
  closed(): void;
}

/** JSON-RPC 2.0 over two streams, one message a line, both sides asking. */
export class RpcConnection {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #handler: RpcHandler;
  readonly #pending = new Map<Id, (answer: { result?: unknown; error?: unknown }) => void>();
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
    this.#read();
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

  #read(): void {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    let skipping = false;
    this.#input.on("data", (chunk: Buffer) => {
      rest += decoder.write(chunk);
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        if (skipping) this.#refuse(null, -32600, `a line over ${MAX_LINE} characters`);
        else if (line.trim() !== "") this.#line(line);
        skipping = false;
      }
      if (rest.length > MAX_LINE) {
        skipping = true;
        rest = "";
      }
    });
    this.#input.on("end", () => this.#end());
    this.#input.on("error", () => this.#end());
  }

  #line(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(null, -32700, "not JSON");
      return;
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      this.#refuse(null, -32600, Array.isArray(message) ? "batches are not supported" : "a message must be an object");
      return;
    }
    const { jsonrpc, id, method, params = {}, result, error } = message as Record<string, unknown>;
    const validId = typeof id === "string" || typeof id === "number";
    if (jsonrpc !== "2.0" || (id !== undefined && !validId)) {
      this.#refuse(
        validId ? id : null,
        -32600,
        'a message needs jsonrpc "2.0", and an id that is a string or a number',
      );
    } else if (typeof method === "string") {
      this.#called(method, params, validId ? id : undefined);
    } else if (validId && method === undefined && (result !== undefined || error !== undefined)) {
      this.#pending.get(id)?.(error === undefined ? { result } : { error });
    } else {
      this.#refuse(validId ? id : null, -32600, "a message needs a method, or a result or an error");
    }
  }

  #called(method: string, params: unknown, id: Id | undefined): void {
    if (typeof params !== "object" || params === null || Array.isArray(params)) {
      if (id !== undefined) this.#refuse(id, -32602, "params must be an object");
      return;
    }
    if (id === undefined) {
      this.#handler.notification(method, params as Record<string, unknown>);
      return;
    }
    this.#handler.request(method, params as Record<string, unknown>, id).then(
      (result) => this.#send({ jsonrpc: "2.0", id, result: result ?? null }),
      (error) => {
        const known = error instanceof RpcError ? error : new RpcError(-32603, (error as Error).message);
        this.#refuse(id, known.rpcCode, known.message, known.data);
      },
    );
  }

  #refuse(id: Id | null, code: number, message: string, data?: object): void {
    this.#send({ jsonrpc: "2.0", id, error: { code, message, ...(data ? { data } : {}) } });
  }

  #send(message: object): void {
    if (this.#closed || this.#output.destroyed) return;
    if (this.#output.write(`${JSON.stringify(message)}\n`) || this.#input.isPaused()) return;
    // A reader that is slow is not written to faster than it reads: nothing more is taken in meanwhile.
    this.#input.pause();
    this.#output.once("drain", () => this.#input.resume());
  }

  /** The other side asks and answers nothing more; what it waits for is still written. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const settle of [...this.#pending.values()]) settle({});
    this.#handler.closed();
  }
}
