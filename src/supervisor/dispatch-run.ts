import type { Member } from "./hosted-isolate.ts";
import type { Failure, Outcome } from "./outcome.ts";
import type { PreparedEvent } from "./prepared-event.ts";

/** One event on its way through hooks that share a process: a single round trip. */
export class DispatchRun {
  readonly id: number;
  readonly members: readonly Member[];
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
  readonly #removed = new Map<Member, Failure>();
  #over = false;

  constructor(options: {
    id: number;
    members: readonly Member[];
    limitMs: number;
    event?: PreparedEvent;
    settle: (outcomes: Outcome[]) => void;
  }) {
    this.id = options.id;
    this.members = options.members;
    this.limitMs = options.limitMs;
    this.event = options.event;
    this.#settle = options.settle;
  }

  get current(): Member | undefined {
    return this.members[this.outcomes.length];
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
  remove(member: Member, failure: Failure): void {
    if (!this.remaining.includes(member)) return;
    if (this.current === member) this.take({ failure }, false);
    else this.#removed.set(member, failure);
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
  get remaining(): readonly Member[] {
    return this.members.slice(this.outcomes.length);
  }

  /** Ends the run for every hook that has not answered. */
  fail(failureOf: (member: Member) => Failure): void {
    if (this.#over) return;
    for (const member of this.remaining)
      this.outcomes.push({ failure: this.#removed.get(member) ?? failureOf(member) });
    this.#end();
  }
}
