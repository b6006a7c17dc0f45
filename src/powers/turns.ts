/** Lets so many at once. The others wait, in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** A turn if there is one now. What it returns ends the turn. */
  takeNow(): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#free--;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#free++;
      const [next] = this.#waiting;
      next?.();
    };
  }

  /** Waits for a turn. Rejects with the signal's reason, and then holds none. */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        reject(signal.reason);
      };
      const begin = (): void => {
        const end = this.takeNow();
        if (!end) return;
        this.#waiting.delete(begin);
        signal.removeEventListener("abort", giveUp);
        resolve(end);
      };
      if (signal.aborted) {
        giveUp();
        return;
      }
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(begin);
      begin();
    });
  }
}
