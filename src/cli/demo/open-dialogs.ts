import type { HookUIContext } from "../../hook-api.ts";

/** Counts open dialogs and the time that they are open, so that nothing is printed over one. */
export class OpenDialogs {
  readonly #open = new Set<Promise<unknown>>();
  readonly #listeners: { opened(): void; closed(): void };
  #since = 0;
  #ms = 0;

  constructor(listeners: { opened(): void; closed(): void }) {
    this.#listeners = listeners;
  }

  watch(ui: HookUIContext): HookUIContext {
    return {
      select: (...asked) => this.#count(ui.select(...asked)),
      confirm: (...asked) => this.#count(ui.confirm(...asked)),
      input: (...asked) => this.#count(ui.input(...asked)),
      notify: (...told) => ui.notify(...told),
    };
  }

  /** How long a person was asked so far, in ms. */
  get ms(): number {
    return this.#ms + (this.#open.size > 0 ? performance.now() - this.#since : 0);
  }

  /** Resolves when no dialog is open. */
  async closed(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  #count<T>(answer: Promise<T>): Promise<T> {
    if (this.#open.size === 0) {
      this.#since = performance.now();
      this.#listeners.opened();
    }
    const counted = answer.finally(() => {
      this.#open.delete(counted);
      if (this.#open.size > 0) return;
      this.#ms += performance.now() - this.#since;
      this.#listeners.closed();
    });
    this.#open.add(counted);
    return counted;
  }
}
