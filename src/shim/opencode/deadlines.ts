/** What waits for the daemon, by session: each has an end of its own, whatever becomes of the daemon. */
export class Deadlines {
  readonly #waiting = new Map<string, Set<(why: string) => void>>();

  /** Rejects after `ms`, and when the session's turn is over. `act` is told by its signal. */
  within<T>(ms: number, session: string, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const waiting = this.#waiting.get(session) ?? new Set();
    this.#waiting.set(session, waiting);
    let giveUp: (why: string) => void = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      giveUp = (why) => {
        reject(new Error(why));
        over.abort();
      };
    });
    waiting.add(giveUp);
    const timer = setTimeout(() => giveUp("Cordon did not answer in time"), ms);
    return Promise.race([act(over.signal), late]).finally(() => {
      clearTimeout(timer);
      waiting.delete(giveUp);
      if (waiting.size === 0) this.#waiting.delete(session);
    });
  }

  /** Nobody waits in this session any more. */
  end(session: string): void {
    for (const giveUp of this.#waiting.get(session) ?? []) giveUp("the call was given up");
  }
}
