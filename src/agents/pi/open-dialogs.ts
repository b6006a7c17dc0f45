/**
 * Dialogs that are open on this process's terminal. What hooks show where it could cover a dialog, or push it out of sight, is hidden
 * meanwhile.
 */
class OpenDialogs {
  #count = 0;
  readonly #followers = new Set<() => void>();

  get isAny(): boolean {
    return this.#count > 0;
  }

  async during<T>(ask: () => Promise<T>): Promise<T> {
    this.#change(1);
    try {
      return await ask();
    } finally {
      this.#change(-1);
    }
  }

  /** Calls `act` when the first opens, and when the last is over. Returns the function that ends this. */
  follow(act: () => void): () => void {
    this.#followers.add(act);
    return () => this.#followers.delete(act);
  }

  #change(by: number): void {
    const before = this.isAny;
    this.#count += by;
    if (this.isAny !== before) for (const act of this.#followers) act();
  }
}

export const openDialogs = new OpenDialogs();
