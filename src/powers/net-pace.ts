import { setTimeout as delay } from "node:timers/promises";

/** Bytes in a second that a hook's sockets may take, and may send: what a hook without a JIT can look at. */
const BYTES_PER_MS = 2000;
/** Least time from one part to the next: each part is a line of the record. */
const LEAST_MS = 12;

/** Spaces out what all sockets of one hook do in one direction. Whoever is too fast waits, and its peer with it. */
export class Pace {
  #free = 0;

  /** Resolves when it is this part's turn. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const turn = Math.max(now, this.#free);
    this.#free = turn + Math.max(LEAST_MS, bytes / BYTES_PER_MS);
    if (turn > now) await delay(turn - now, undefined, { signal, ref: false });
  }
}
