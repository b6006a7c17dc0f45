import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Failure } from "./outcome.ts";
import type { PreparedEvent } from "./prepared-event.ts";

/** The open tasks of a process. */
export interface TaskList {
  /** The number of the next task. */
  next(): number;
  /** Hears, once, that a task is over. */
  end(task: Task): void;
}

/** A person, who may take any time; or another program, on this machine or elsewhere, the agent among them. */
export type WaitsFor = "person" | "program";

/** All that one hook may wait for programs in one task, in multiples of its own limit. Each wait has a deadline, but a hook may begin many. */
const WAITS_PER_LIMIT = 60;

export interface TaskOptions {
  tasks: TaskList;
  limitMs: number;
  /** The event, if the task is about one. */
  event?: PreparedEvent;
}

/** A request to isolates of one process, under the host's clock: an event, a bundle to load, or a priority query. */
export abstract class Task {
  readonly id: number;
  /** Most waking time of the host, in ms, for one hook. Waiting for a person or another program does not count. */
  readonly limitMs: number;
  /** Waking time that the current hook has used, in ms. */
  elapsedMs = 0;
  /** Waking time that the current hook has waited for programs, and for no person, in ms. */
  waitedMs = 0;
  /** CPU time that its process has used for it, in ms. Of tasks that run side by side each is charged an equal part. */
  cpuMs = 0;
  /** The current hook was told that its time is up. */
  expired = false;
  /** Requests with a deadline of their own that the current hook waits for, and those of them that wait for a person. */
  #waits = 0;
  #personWaits = 0;
  /** Counts hooks, so that an answer to an earlier hook does not end the wait of a later one. */
  #step = 0;
  #isOver = false;
  readonly #tasks: TaskList;
  readonly event: PreparedEvent | undefined;

  constructor(options: TaskOptions) {
    this.id = options.tasks.next();
    this.limitMs = options.limitMs;
    this.event = options.event;
    this.#tasks = options.tasks;
  }

  /** The isolates that have not answered, in order. The first is the current one. */
  abstract get remaining(): readonly HostedIsolate[];

  /** The current isolate threw where nothing catches it. */
  abstract threw(failure: Failure): void;

  /** A hook was removed: it fails when its turn comes, or now if it is the current one. */
  abstract remove(isolate: HostedIsolate, failure: Failure): void;

  /** The process is gone: all isolates that have not answered fail. */
  abstract fail(failureOf: (isolate: HostedIsolate) => Failure): void;

  get current(): HostedIsolate | undefined {
    return this.remaining[0];
  }

  /** Most CPU time of the whole task, in ms. Each entry into an isolate has a limit of its own. */
  get cpuLimitMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Most of {@link waitedMs}. */
  get waitLimitMs(): number {
    return this.limitMs * WAITS_PER_LIMIT;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The clock stands still: the hook waits for a person or another program. */
  get waiting(): boolean {
    return this.#waits > 0;
  }

  get waitsForPerson(): boolean {
    return this.#personWaits > 0;
  }

  /** Stops the clock until the returned function is called. */
  wait(who: WaitsFor): () => void {
    const step = this.#step;
    const count = (by: number): void => {
      this.#waits += by;
      if (who === "person") this.#personWaits += by;
    };
    count(1);
    let over = false;
    return () => {
      if (!over && step === this.#step) count(-1);
      over = true;
    };
  }

  /** Gives the next hook the whole time. */
  protected rewind(): void {
    this.elapsedMs = 0;
    this.waitedMs = 0;
    this.cpuMs = 0;
    this.expired = false;
    this.#waits = 0;
    this.#personWaits = 0;
    this.#step++;
  }

  /** Ends the task. False if it was over before. */
  protected end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#tasks.end(this);
    return true;
  }
}
