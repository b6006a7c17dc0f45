import { ToSandbox } from "../../sandbox/wire/messages.ts";
import { messageOf } from "../base/errors.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Failure } from "./outcome.ts";
import { Task, type TaskOptions } from "./task.ts";
import type { Transport } from "./transport.ts";

/** All that a bundle may wait for programs and others while it loads, in ms. */
const MAX_WAIT_MS = 60_000;

/** The loading of one bundle into a process. It ends when the bundle reports that it is ready, or fails. */
export class Loading extends Task {
  readonly isolate: HostedIsolate;
  readonly #process: Transport;
  readonly #settle: () => void;

  constructor(options: TaskOptions & { isolate: HostedIsolate; process: Transport; settle: () => void }) {
    super(options);
    this.isolate = options.isolate;
    this.#process = options.process;
    this.#settle = options.settle;
  }

  /** A session's start waits for it. */
  override get waitLimitMs(): number {
    return MAX_WAIT_MS;
  }

  override get remaining(): readonly HostedIsolate[] {
    return this.isOver ? [] : [this.isolate];
  }

  begin(): void {
    const { load, code } = this.isolate;
    try {
      this.#process.send(ToSandbox.load, this.isolate.number, `${JSON.stringify(load)}\n${code}`);
    } catch (error) {
      this.threw({ code: "BUNDLE_TOO_LARGE", summary: messageOf(error) });
    }
  }

  /** The bundle is ready. */
  succeed(): void {
    if (!this.isOver) this.isolate.become("active");
    this.end();
  }

  override threw(failure: Failure): void {
    if (!this.isOver) this.isolate.become("failed", failure);
    this.end();
  }

  /** Its time is up: whoever says so takes it out of its process. */
  expire(): void {
    this.threw({ code: "TIMEOUT", summary: `it did not load within ${this.limitMs} ms` });
  }

  /** Whoever removed the isolate sets its state. */
  override remove(isolate: HostedIsolate): void {
    if (isolate === this.isolate) this.end();
  }

  /** The supervisor sets the isolate's state: it may start it again. */
  override fail(): void {
    this.end();
  }

  protected override end(): boolean {
    const isEnd = super.end();
    if (isEnd) this.#settle();
    return isEnd;
  }
}
