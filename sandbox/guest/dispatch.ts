import type { Envelope } from "../protocol.ts";
import { AbortController } from "./globals/abort.ts";
import { failure } from "./outcome.ts";
import { apply, NativePromise } from "./primordials.ts";

const { then } = NativePromise.prototype;

/** One event on its way through the bundle's handlers. */
export class Dispatch {
  readonly id: number;
  readonly envelope: Envelope;
  cancelled = false;
  #abort: AbortController | undefined;
  #expire: ((reason: Error) => void) | undefined;

  constructor(id: number, envelope: Envelope) {
    this.id = id;
    this.envelope = envelope;
  }

  /** Fires when the agent aborts what the event is about, or nobody waits any more. Few hooks look at it. */
  get abort(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  /** Hands what `work` comes to to one of the two, once: to `failed` also when the host says that its time is up. */
  settle(work: unknown, done: (value: unknown) => void, failed: (reason: unknown) => void): void {
    let open = true;
    const fail = (reason: unknown): void => {
      if (!open) return;
      open = false;
      failed(reason);
    };
    this.#expire = fail;
    const succeed = (value: unknown): void => {
      if (!open) return;
      open = false;
      done(value);
    };
    apply(then, NativePromise.resolve(work), [succeed, fail]);
  }

  expire(message: string): void {
    this.#expire?.(failure("TIMEOUT", message));
  }

  cancel(): void {
    this.cancelled = true;
    this.#abort?.abort();
    this.#expire?.(failure("TIMEOUT", "cancelled"));
  }
}
