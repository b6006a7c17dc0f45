import { MAX_HANDLERS, type Verdict } from "../../sandbox/protocol.ts";
import type { ErrorCode } from "../errors.ts";
import type { EventInHand } from "../events/envelope.ts";
import type { Member } from "./member.ts";

/** Why a hook gave no verdict. `what` ends a sentence that begins with the hook's name. */
export interface Failure {
  code: ErrorCode;
  what: string;
  /** As the hook threw it, in terms of its bundle. */
  stack?: string;
  /** Another hook in the same process is to blame. */
  shared?: boolean;
}

export type Outcome = { verdict: Verdict } | { failure: Failure };

/** One event on its way through hooks that share a process: a single round trip. */
export class Run {
  readonly id: number;
  readonly members: readonly Member[];
  /** ms of the host's waking time that one handler may take while nobody else is waited for. */
  readonly limitMs: number;
  readonly outcomes: Outcome[] = [];
  /** What the host keeps of the event while hooks may ask for it. */
  readonly event: EventInHand | undefined;
  /** Waking time the current handler has taken. */
  elapsedMs = 0;
  /** The current handler was told that its time is up. */
  expired = false;
  /** Dialogs and host requests with a deadline of their own that the current hook waits for. */
  #waits = 0;
  /** Counts handlers, so that an answer to an earlier one's request does not end the wait of a later one. */
  #step = 0;
  #handlers = 0;
  readonly #settle: (outcomes: Outcome[]) => void;

  constructor(options: {
    id: number;
    members: readonly Member[];
    limitMs: number;
    event?: EventInHand;
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

  /** The current hook's next handler starts: the clock starts anew, for as many handlers as a hook may have. */
  nextHandler(): void {
    if (++this.#handlers < MAX_HANDLERS) this.#rewind();
  }

  #rewind(): void {
    this.elapsedMs = 0;
    this.expired = false;
    this.#waits = 0;
    this.#step++;
  }

  /** Takes the current hook's outcome. True when that was the last. */
  take(outcome: Outcome, last: boolean): boolean {
    this.outcomes.push(outcome);
    this.#handlers = 0;
    this.#rewind();
    if (!last && this.current) return false;
    this.#settle(this.outcomes);
    return true;
  }

  /** The hooks that have not answered. */
  get remaining(): readonly Member[] {
    return this.members.slice(this.outcomes.length);
  }

  /** Ends the run for every hook that has not answered. */
  fail(failureOf: (member: Member) => Failure): void {
    for (const member of this.remaining) this.outcomes.push({ failure: failureOf(member) });
    this.#settle(this.outcomes);
  }
}
