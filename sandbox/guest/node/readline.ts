/** `node:readline` for streams of data that the hook has. There is no terminal for questions. */
import { EventEmitter } from "./events.ts";
import { fault } from "./fault.ts";
import { notOffered } from "./host.ts";

interface Input extends AsyncIterable<unknown> {
  on(type: string, listener: (...args: never[]) => void): unknown;
  setEncoding?(encoding: string): void;
  pause?(): void;
  resume?(): void;
}

/** Most lines that are held until a `for await` reads them. */
const MAX_HELD = 100_000;

export class Interface extends EventEmitter {
  closed = false;
  line = "";
  readonly #input: Input;
  #rest = "";
  #held: string[] | undefined;
  #wake: (() => void) | undefined;
  #failure: { error: unknown } | undefined;

  constructor(input: Input) {
    super();
    this.#input = input;
    input.setEncoding?.("utf8");
    input.on("data", (chunk: unknown) => this.#take(String(chunk)));
    input.on("end", () => {
      if (this.#rest !== "") this.#emitLine(this.#rest.replace(/\r$/, ""));
      this.#rest = "";
      this.close();
    });
    input.on("error", (error: unknown) => {
      this.#failure = { error };
      this.#wake?.();
      if (!this.#held) this.emit("error", error);
    });
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#wake?.();
    this.emit("close");
  }

  pause(): this {
    this.#input.pause?.();
    return this;
  }

  resume(): this {
    this.#input.resume?.();
    return this;
  }

  setPrompt(): void {}
  readonly prompt = notOffered("readline", "prompt", "ctx.ui.input asks a person");
  readonly question = notOffered("readline", "question", "ctx.ui.input asks a person");
  readonly write = notOffered("readline", "write");

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    this.#held ??= [];
    for (;;) {
      const line = this.#held.shift();
      if (line !== undefined) yield line;
      else if (this.#failure) throw this.#failure.error;
      else if (this.closed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #take(chunk: string): void {
    if (this.closed) return;
    // A carriage return at the end of a chunk may belong to a newline at the start of the next chunk.
    const lines = (this.#rest + chunk).split(/\r\n|[\n\u2028\u2029]|\r(?!\n|$)/);
    this.#rest = lines.pop() as string;
    for (const line of lines) this.#emitLine(line);
  }

  #emitLine(line: string): void {
    this.line = line;
    if (this.#held && this.#held.length < MAX_HELD) this.#held.push(line);
    this.#wake?.();
    this.emit("line", line);
  }
}

export function createInterface(first: Input | { input: Input }, ..._terminal: unknown[]): Interface {
  const input = "input" in first ? first.input : first;
  if (typeof input?.on !== "function")
    throw fault(TypeError, "ERR_INVALID_ARG_TYPE", 'The "input" argument must be a stream of data that the hook has');
  return new Interface(input);
}

const refused = (name: string) => notOffered("readline", name, "there is no terminal");
export const clearLine = refused("clearLine");
export const clearScreenDown = refused("clearScreenDown");
export const cursorTo = refused("cursorTo");
export const moveCursor = refused("moveCursor");
export const emitKeypressEvents = refused("emitKeypressEvents");
export default { createInterface, Interface, clearLine, clearScreenDown, cursorTo, moveCursor, emitKeypressEvents };
