import { setTimeout as delay } from "node:timers/promises";

/** After a drawing was made fit for the terminal, the hook's next one waits this many times as long as that took. */
const REST = 2;

/** The agent's time that the drawings of one hook take: its components together may not keep the agent from its work. */
export class DrawingTime {
  #until = 0;
  #line: Promise<void> = Promise.resolve();

  /** Does what a drawing needs, in its turn. */
  take<T>(act: () => T): Promise<T> {
    const taken = this.#line.then(async () => {
      const wait = this.#until - performance.now();
      if (wait > 0) await delay(wait, undefined, { ref: false });
      const started = performance.now();
      try {
        return act();
      } finally {
        const now = performance.now();
        this.#until = now + (now - started) * REST;
      }
    });
    this.#line = taken.then(
      () => {},
      () => {},
    );
    return taken;
  }
}
