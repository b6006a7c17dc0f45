/** Host time that the frames of one process may take in a rolling minute, beside the time of its own. */
const MAX_MS_PER_MINUTE = 6000;
const SECONDS = 60;

/**
 * The time that the host spends on the frames of one process. A hook without any power can make the agent work by repeating
 * requests that are refused. Beyond this limit its process is killed, as for its own CPU time.
 */
export class HostTime {
  readonly #spent = new Float64Array(SECONDS);
  #second = 0;
  #sum = 0;

  /** Adds `ms`. True if the limit is exceeded. */
  spend(ms: number, now = performance.now()): boolean {
    const second = Math.floor(now / 1000);
    // What is older than a minute is forgotten, a second at a time.
    for (let at = Math.max(this.#second + 1, second - SECONDS + 1); at <= second; at++) {
      this.#sum -= this.#spent[at % SECONDS] as number;
      this.#spent[at % SECONDS] = 0;
    }
    this.#second = second;
    this.#spent[second % SECONDS] = (this.#spent[second % SECONDS] as number) + ms;
    this.#sum += ms;
    return this.#sum > MAX_MS_PER_MINUTE;
  }

  static readonly limitMs = MAX_MS_PER_MINUTE;
}
