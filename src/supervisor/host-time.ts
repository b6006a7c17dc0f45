/** Host time that the frames of one process may take in a rolling minute, beside the time of its own. */
const MAX_MS_PER_MINUTE = 6000;
const SECONDS = 60;

/**
 * What a sandbox process costs the host: the time spent on its frames. A hook without any power can make the agent work by
 * asking for what it is refused; beyond this its process is ended, as for its own CPU time.
 */
export class HostTime {
  readonly #spent = new Float64Array(SECONDS);
  #second = 0;
  #sum = 0;

  /** True once it is too much. `ms`: spent just now. */
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
