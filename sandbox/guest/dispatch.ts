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

  /** What `work` comes to, or a rejection when the host says that its time is up. */
  race<T>(work: T | PromiseLike<T>): Promise<T> {
    return new NativePromise<T>((resolve, reject) => {
      this.#expire = reject;
      // Not `resolve(work)`: that would tie the promise to the work, and nothing could end the wait.
      apply(then, NativePromise.resolve(work), [resolve, reject]);
    });
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
