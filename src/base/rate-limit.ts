/** Counts uses in a rolling minute, at a constant cost for each. */
export class RateLimit {
  #times: number[] = [];
  /** Index of the oldest use that still counts. */
  #first = 0;

  /** Counts a use. False if there were `most` in the last minute already. */
  use(most: number, now = performance.now()): boolean {
    if (this.count(now) >= most) return false;
    this.#times.push(now);
    return true;
  }

  /** Uses in the last minute. */
  count(now = performance.now()): number {
    while (this.#first < this.#times.length && now - (this.#times[this.#first] as number) >= 60_000) this.#first++;
    if (this.#first > 1000 && this.#first * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#first);
      this.#first = 0;
    }
    return this.#times.length - this.#first;
  }
}
