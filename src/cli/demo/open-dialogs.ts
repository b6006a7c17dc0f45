import type { HookUIContext } from "../../hook-api.ts";

/** Counts open dialogs, so that nothing is printed over one that a hook opened in the background. */
export class OpenDialogs {
  #open = 0;
  #waiting: (() => void)[] = [];

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
    if (this.#open > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #count<T>(answer: Promise<T>): Promise<T> {
    this.#open++;
    try {
      return await answer;
    } finally {
      if (--this.#open === 0) for (const resume of this.#waiting.splice(0)) resume();
    }
  }
}
