import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Failure } from "./outcome.ts";
import type { PreparedEvent } from "./prepared-event.ts";

/** Something that isolates of one process are asked for, under the host's clock: see the classes that extend this. */
export abstract class Task {
  readonly id: number;
  /** Waking time of the host, in ms, that one hook may take while nobody else is waited for. */
  readonly limitMs: number;
  /** Waking time the current hook has taken. */
  elapsedMs = 0;
  /** The current hook was told that its time is up. */
  expired = false;
  /** Dialogs and host requests with a deadline of their own that the current hook waits for. */
  #waits = 0;
  /** Counts hooks, so that an answer to an earlier one's request does not end the wait of a later one. */
  #step = 0;
  #isOver = false;
  readonly #ended: () => void;
  /** What the host keeps of the event that it is about, if it is about one. */
  readonly event: PreparedEvent | undefined;

  /** `ended`: called once, when nothing more is expected of any isolate. */
  constructor(id: number, limitMs: number, ended: () => void, event?: PreparedEvent) {
    this.id = id;
    this.limitMs = limitMs;
    this.#ended = ended;
    this.event = event;
  }

  /** The isolates that have not answered, in order: the first is at work. */
  abstract get remaining(): readonly HostedIsolate[];

  /** The isolate at work threw where nobody catches. */
  abstract threw(failure: Failure): void;

  /** A hook was taken out: it fails when its turn comes, which is now if it is at work. */
  abstract remove(isolate: HostedIsolate, failure: Failure): void;

  /** The process is gone: every isolate that has not answered fails. */
  abstract fail(failureOf: (isolate: HostedIsolate) => Failure): void;

  get current(): HostedIsolate | undefined {
    return this.remaining[0];
  }

  get isOver(): boolean {
    return this.#isOver;
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

  /** The next hook has the whole time. */
  protected rewind(): void {
    this.elapsedMs = 0;
    this.expired = false;
    this.#waits = 0;
    this.#step++;
  }

  /** Ends the task. False if it was over before. */
  protected end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#ended();
    return true;
  }
}
