import { attemptOr } from "../../base/attempt.ts";

/**
 * Dialogs that are open on this process's terminal. What hooks show where it could cover a dialog, push it out of sight or take its
 * place waits, or is hidden meanwhile.
 */
class OpenDialogs {
  /** Each with whose it is. */
  readonly #open = new Map<object, object>();
  readonly #followers = new Set<() => void>();

  get isAny(): boolean {
    return this.#open.size > 0;
  }

  /** `owner`: the session that asks. */
  async during<T>(owner: object, ask: () => Promise<T>): Promise<T> {
    const dialog = {};
    this.#change(() => this.#open.set(dialog, owner));
    try {
      return await ask();
    } finally {
      this.#change(() => this.#open.delete(dialog));
    }
  }

  /** The session is over: pi takes its dialogs away, and never answers them. */
  end(owner: object): void {
    this.#change(() => {
      for (const [dialog, its] of this.#open) if (its === owner) this.#open.delete(dialog);
    });
  }

  /** Calls `act` when the first opens, and when the last is over. Returns the function that ends this. */
  follow(act: () => void): () => void {
    this.#followers.add(act);
    return () => this.#followers.delete(act);
  }

  /** Resolves when none is open. */
  async whenNone(): Promise<void> {
    while (this.isAny) {
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      const stop = this.follow(resolve);
      await changed;
      stop();
    }
  }

  #change(act: () => void): void {
    const before = this.isAny;
    act();
    // What one of them shows may be of a session that is over.
    if (this.isAny !== before) for (const follow of this.#followers) attemptOr(follow, undefined);
  }
}

export const openDialogs = new OpenDialogs();
