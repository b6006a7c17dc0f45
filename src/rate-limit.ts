/** Counts uses in a rolling minute. */
export class RateLimit {
  #times: number[] = [];

  /** False if there were `most` in the last minute already. */
  use(most: number, now = performance.now()): boolean {
    this.#times = this.#times.filter((time) => now - time < 60_000);
    if (this.#times.length >= most) return false;
    this.#times.push(now);
    return true;
  }
}
