/** Those that are set. */
const waiting = new Set<Alarm>();

/** A timer that says when it is due, for whoever waits without the event loop. It rings once the loop turns. */
export class Alarm {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** As `performance.now` counts. */
  get due(): number {
    return this.#due;
  }

  /** It rings in so many ms, and at no time that was set before. */
  set(ms: number): void {
    this.clear();
    this.#due = performance.now() + ms;
    this.#timer = setTimeout(() => {
      waiting.delete(this);
      this.#ring();
    }, ms);
    waiting.add(this);
  }

  clear(): void {
    clearTimeout(this.#timer);
    waiting.delete(this);
  }
}

/** Whole ms until the next one is due, or -1 if none is set. */
export function untilNext(): number {
  if (waiting.size === 0) return -1;
  let next = Number.POSITIVE_INFINITY;
  for (const { due } of waiting) next = Math.min(next, due);
  return Math.max(0, Math.ceil(next - performance.now()));
}
