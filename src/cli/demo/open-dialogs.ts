import type { HookUIContext } from "../../hook-api.ts";

/** Counts open dialogs, so that nothing is printed over one that a hook opened in the background. */
export class OpenDialogs {
  readonly #open = new Set<Promise<unknown>>();

  watch(ui: HookUIContext): HookUIContext {
    return {
      select: (...asked) => this.#count(ui.select(...asked)),
      confirm: (...asked) => this.#count(ui.confirm(...asked)),
      input: (...asked) => this.#count(ui.input(...asked)),
      notify: (...told) => ui.notify(...told),
    };
  }

  /** Resolves when no dialog is open. */
  async closed(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  #count<T>(answer: Promise<T>): Promise<T> {
    const counted = answer.finally(() => this.#open.delete(counted));
    this.#open.add(counted);
    return counted;
  }
}
