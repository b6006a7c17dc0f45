import { Event, EventTarget } from "event-target-shim";
import type { Timers } from "../timers.ts";

/** The old codes of the names that Cordon's own code gives such errors, as WebIDL has them; all others are 0. */
const CODES: ReadonlyMap<string, number> = new Map([
  ["InvalidCharacterError", 5],
  ["InvalidStateError", 11],
  ["SyntaxError", 12],
  ["InvalidAccessError", 15],
  ["AbortError", 20],
  ["TimeoutError", 23],
  ["DataCloneError", 25],
]);

/** An error with the names of the DOM standard, for code that tests `error.name`. */
export class DOMException extends Error {
  override readonly name: string;
  readonly code: number;

  constructor(message = "", name = "Error") {
    super(message);
    this.name = name;
    this.code = CODES.get(name) ?? 0;
  }
}

const construct = Symbol("construct");

/** `AbortSignal` of the DOM standard, with `abort`, `timeout` and `any`. */
export class AbortSignal extends EventTarget {
  /** Defined when the realm has timers. */
  declare static readonly timeout: (ms: number) => AbortSignal;
  #reason: unknown;
  #aborted = false;
  onabort: ((event: Event) => void) | null = null;

  constructor(key?: symbol) {
    if (key !== construct) throw new TypeError("Illegal constructor");
    super();
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  static fire(signal: AbortSignal, reason: unknown): void {
    if (signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
    const event = new Event("abort");
    if (typeof signal.onabort === "function") signal.onabort(event);
    signal.dispatchEvent(event);
  }

  static abort(reason?: unknown): AbortSignal {
    const signal = new AbortSignal(construct);
    AbortSignal.fire(signal, reason);
    return signal;
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const result = new AbortSignal(construct);
    const all = [...signals];
    const done = all.find((signal) => signal.aborted);
    if (done) {
      AbortSignal.fire(result, done.reason);
      return result;
    }
    for (const signal of all)
      signal.addEventListener("abort", () => AbortSignal.fire(result, signal.reason), { once: true });
    return result;
  }
}

export class AbortController {
  readonly signal = new AbortSignal(construct);

  abort(reason?: unknown): void {
    AbortSignal.fire(this.signal, reason);
  }
}

/** `AbortSignal.timeout` needs the hook's timers. */
export function addTimeout(timers: Timers): void {
  Object.defineProperty(AbortSignal, "timeout", {
    configurable: true,
    writable: true,
    value: (ms: number): AbortSignal => {
      const signal = new AbortSignal(construct);
      timers.set(
        () => AbortSignal.fire(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")),
        ms,
        [],
        false,
      );
      return signal;
    },
  });
}
