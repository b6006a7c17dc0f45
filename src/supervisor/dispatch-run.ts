import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Failure, Outcome } from "./outcome.ts";
import type { PreparedEvent } from "./prepared-event.ts";

/** One event on its way through hooks that share a process: a single round trip. */
export class DispatchRun {
  readonly id: number;
  readonly isolates: readonly HostedIsolate[];
  /** ms of the host's waking time that the handlers of one hook may take together while nobody else is waited for. */
  readonly limitMs: number;
  readonly outcomes: Outcome[] = [];
  /** What the host keeps of the event while hooks may ask for it. */
  readonly event: PreparedEvent | undefined;
  /** Waking time the current hook has taken. */
  elapsedMs = 0;
  /** The current hook was told that its time is up. */
  expired = false;
  /** Dialogs and host requests with a deadline of their own that the current hook waits for. */
  #waits = 0;
  /** Counts hooks, so that an answer to an earlier one's request does not end the wait of a later one. */
  #step = 0;
  readonly #settle: (outcomes: Outcome[]) => void;
  /** Hooks that were taken out before their turn came. */
  readonly #removed = new Map<HostedIsolate, Failure>();
  #over = false;

  constructor(options: {
    id: number;
    isolates: readonly HostedIsolate[];
    limitMs: number;
    event?: PreparedEvent;
    settle: (outcomes: Outcome[]) => void;
  }) {
    this.id = options.id;
    this.isolates = options.isolates;
    this.limitMs = options.limitMs;
    this.event = options.event;
    this.#settle = options.settle;
  }

  get current(): HostedIsolate | undefined {
    return this.isolates[this.outcomes.length];
  }

  /** The clock stands still: a person or another program is waited for. */
  get waiting(): boolean {
    return this.#waits > 0;
  }

  /** Stops the clock until the returned function is called. */
  wait(): () => void {
    const step = this.#step;
    this.#waits++;
    let over = false;
    return () => {
      if (!over && step === this.#step) this.#waits--;
      over = true;
    };
  }

  #rewind(): void {
    this.elapsedMs = 0;
    this.expired = false;
    this.#waits = 0;
    this.#step++;
  }

  /** Takes the current hook's outcome. True when that was the last. */
  take(outcome: Outcome, last: boolean): boolean {
    if (this.#over) return true;
    this.outcomes.push(outcome);
    this.#rewind();
    if (!last && this.#skipRemoved()) return false;
    this.#end();
    return true;
  }

  /** A hook is out: it fails when its turn comes, which is now if it is being asked. */
  remove(isolate: HostedIsolate, failure: Failure): void {
    if (!this.remaining.includes(isolate)) return;
    if (this.current === isolate) this.take({ failure }, false);
    else this.#removed.set(isolate, failure);
  }

  /** Its sandbox asks nobody any more, on the word of a hook that is out by now. */
  endEarly(): void {
    if (!this.#over) this.#end();
  }

  /** False when nobody is left. */
  #skipRemoved(): boolean {
    for (let next = this.current; next; next = this.current) {
      const failure = this.#removed.get(next);
      if (!failure) return true;
      this.outcomes.push({ failure });
    }
    return false;
  }

  #end(): void {
    this.#over = true;
    this.#settle(this.outcomes);
  }

  /** The hooks that have not answered. */
  get remaining(): readonly HostedIsolate[] {
    return this.isolates.slice(this.outcomes.length);
  }

  /** Ends the run for every hook that has not answered. */
  fail(failureOf: (isolate: HostedIsolate) => Failure): void {
    if (this.#over) return;
    for (const isolate of this.remaining)
      this.outcomes.push({ failure: this.#removed.get(isolate) ?? failureOf(isolate) });
    this.#end();
  }
}
