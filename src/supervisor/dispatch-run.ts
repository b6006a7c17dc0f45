import type { HostedIsolate } from "./hosted-isolate.ts";
import { type Failure, type Outcome, PASSES } from "./outcome.ts";
import { Task, type TaskOptions } from "./task.ts";

/** Most CPU time of a tool, a command or another thing that a hook registered, in ms: it may take minutes, and waits most of them. */
const REGISTERED_CPU_MS = 10_000;

/** One event on its way through hooks that share a process: a single round trip. */
export class DispatchRun extends Task {
  readonly isolates: readonly HostedIsolate[];
  readonly #outcomes: Outcome[] = [];
  readonly #settle: (outcomes: Outcome[]) => void;
  /** Hooks that were removed before their turn came. */
  #removed: Map<HostedIsolate, Failure> | undefined;

  /** `settle`: receives one outcome for each isolate that was reached. */
  constructor(options: TaskOptions & { isolates: readonly HostedIsolate[]; settle: (outcomes: Outcome[]) => void }) {
    super(options);
    this.isolates = options.isolates;
    this.#settle = options.settle;
  }

  override get current(): HostedIsolate | undefined {
    return this.isolates[this.#outcomes.length];
  }

  override get remaining(): readonly HostedIsolate[] {
    return this.isolates.slice(this.#outcomes.length);
  }

  override get cpuLimitMs(): number {
    return this.event?.type === "run" ? Math.max(REGISTERED_CPU_MS, this.current?.cpuMs ?? 0) : super.cpuLimitMs;
  }

  /** A tool or a command may run for hours, before a person who can end it. */
  override get waitLimitMs(): number {
    return this.event?.type === "run" ? Number.POSITIVE_INFINITY : super.waitLimitMs;
  }

  /** Takes the current hook's outcome. `last`: no later hook is asked. */
  take(outcome: Outcome, last: boolean): void {
    if (this.isOver) return;
    this.#outcomes.push(outcome);
    this.rewind();
    if (last || !this.#skipRemoved()) this.endEarly();
  }

  /** This isolate let the event pass, and so did all before it that have not answered. False if it has answered, or was not asked. */
  passUntil(number: number): boolean {
    const last = this.isolates.findIndex((isolate) => isolate.number === number);
    if (last < this.#outcomes.length) return false;
    while (!this.isOver && this.#outcomes.length <= last) this.take({ verdict: PASSES }, false);
    return true;
  }

  override threw(failure: Failure): void {
    this.take({ failure }, false);
  }

  override remove(isolate: HostedIsolate, failure: Failure): void {
    if (!this.remaining.includes(isolate)) return;
    if (this.current === isolate) this.take({ failure }, false);
    else {
      this.#removed ??= new Map();
      this.#removed.set(isolate, failure);
    }
  }

  override fail(failureOf: (isolate: HostedIsolate) => Failure): void {
    if (this.isOver) return;
    for (const isolate of this.remaining)
      this.#outcomes.push({ failure: this.#removed?.get(isolate) ?? failureOf(isolate) });
    this.endEarly();
  }

  /** The sandbox asks no further hook: a verdict said so, possibly that of a hook that was removed meanwhile. */
  endEarly(): void {
    if (this.end()) this.#settle(this.#outcomes);
  }

  /** False when nobody is left. */
  #skipRemoved(): boolean {
    for (let next = this.current; next; next = this.current) {
      const failure = this.#removed?.get(next);
      if (!failure) return true;
      this.#outcomes.push({ failure });
    }
    return false;
  }
}
