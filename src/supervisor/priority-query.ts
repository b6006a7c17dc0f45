import type { GuestError } from "../../sandbox/wire/messages.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Failure } from "./outcome.ts";
import { Task } from "./task.ts";

/**
 * What a bundle answered: the highest priority among its handlers that want the event, or `undefined` where none does. A
 * matcher of its own may also have thrown, or the bundle gave no answer at all.
 */
export type PriorityAnswer = { priority: number | undefined } | { thrown: GuestError } | { failure: Failure };

/** The question which priority a bundle has for events of one type about one name. Its matchers run in the isolate. */
export class PriorityQuery extends Task {
  readonly #isolate: HostedIsolate;
  readonly #settle: (answer: PriorityAnswer) => void;

  constructor(options: {
    id: number;
    limitMs: number;
    isolate: HostedIsolate;
    ended: () => void;
    settle: (answer: PriorityAnswer) => void;
  }) {
    super(options.id, options.limitMs, options.ended);
    this.#isolate = options.isolate;
    this.#settle = options.settle;
  }

  override get remaining(): readonly HostedIsolate[] {
    return this.isOver ? [] : [this.#isolate];
  }

  take(answer: PriorityAnswer): void {
    if (this.end()) this.#settle(answer);
  }

  override threw(failure: Failure): void {
    this.take({ failure });
  }

  override remove(isolate: HostedIsolate, failure: Failure): void {
    if (isolate === this.#isolate) this.take({ failure });
  }

  override fail(failureOf: (isolate: HostedIsolate) => Failure): void {
    this.take({ failure: failureOf(this.#isolate) });
  }
}
