/** What comes in over a connection of the host's, part by part, as its reader takes it. */
import { host } from "./host.ts";

type Part = readonly ["utf8" | "base64", string];
type Ended = { readonly code?: number; readonly reason?: string };

interface Reader {
  /** Takes a part. */
  part(part: Part): void;
  ended(how: Ended): void;
  failed(error: unknown): void;
}

/** Asks for the next part, once at a time. The host lets a hook read no faster than it can look at what comes. */
export class Pump {
  readonly #socket: number;
  readonly #reader: Reader;
  readonly #gone: AbortSignal;
  #asks = false;
  #isOver = false;

  constructor(socket: number, gone: AbortSignal, reader: Reader) {
    this.#socket = socket;
    this.#gone = gone;
    this.#reader = reader;
  }

  /** Calls the reader with what comes next, if it is not asked for yet. */
  next(): void {
    if (this.#asks || this.#isOver || this.#gone.aborted) return;
    this.#asks = true;
    host.call("net.read", [this.#socket], this.#gone).then(
      ({ parts, ended }) => {
        this.#asks = false;
        if (this.#gone.aborted) return;
        if (ended) this.#isOver = true;
        for (const part of parts) this.#reader.part(part);
        if (ended) this.#reader.ended(ended);
      },
      (error) => {
        this.#isOver = true;
        if (!this.#gone.aborted) this.#reader.failed(error);
      },
    );
  }
}
