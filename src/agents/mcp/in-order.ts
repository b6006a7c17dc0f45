/** Most that wait at a time: a server may push without end, and each message may be large. */
const MAX_WAITING = 4;

/** Does one thing after another. */
export class InOrder {
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  /** `act` must not reject. */
  add(act: () => Promise<void>): void {
    this.#waiting++;
    this.#last = this.#last.then(act).then(() => {
      this.#waiting--;
    });
  }

  /** Resolves once what waits now is done; `undefined` if little waits. */
  get behind(): Promise<void> | undefined {
    return this.#waiting < MAX_WAITING ? undefined : this.#last;
  }
}
