import type { GuestError } from "../../sandbox/wire/messages.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Failure } from "./outcome.ts";
import { Task, type TaskOptions } from "./task.ts";

/**
 * A bundle's answer: the highest priority among its handlers that want the event, or `undefined` if none does. Instead, one
 * of its matchers may have thrown, or the bundle may have given no answer.
 */
export type PriorityAnswer = { priority: number | undefined } | { thrown: GuestError } | { failure: Failure };

/** Asks a bundle for its priority for events of one type about one name. The bundle's matchers run in the isolate. */
export class PriorityQuery extends Task {
  readonly #isolate: HostedIsolate;
  readonly #settle: (answer: PriorityAnswer) => void;

  constructor(options: TaskOptions & { isolate: HostedIsolate; settle: (answer: PriorityAnswer) => void }) {
    super(options);
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
