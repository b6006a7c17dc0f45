import { ToSandbox } from "../../sandbox/wire/messages.ts";
import { messageOf } from "../base/errors.ts";
import type { DispatchRun } from "./dispatch-run.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Failure } from "./outcome.ts";
import type { SandboxProcess } from "./process.ts";

/** The loading of one bundle into a process: a run of its own, which only the word of its bundle or a failure ends. */
export class Loading {
  readonly isolate: HostedIsolate;
  readonly run: DispatchRun;
  readonly #process: SandboxProcess;

  constructor(process: SandboxProcess, isolate: HostedIsolate, run: DispatchRun) {
    this.#process = process;
    this.isolate = isolate;
    this.run = run;
  }

  begin(): void {
    try {
      this.#process.send(ToSandbox.load, this.isolate.number, JSON.stringify(this.isolate.load));
    } catch (error) {
      this.end({ code: "BUNDLE_TOO_LARGE", summary: messageOf(error) });
    }
  }

  /** The bundle is ready, or failed. */
  end(failure?: Failure): void {
    if (failure) this.isolate.become("failed", failure);
    else this.isolate.become("active");
    this.leave();
  }

  /** Its time is up. */
  expire(): void {
    this.#process.send(ToSandbox.drop, this.isolate.number, "");
    this.end({ code: "TIMEOUT", summary: `it did not load within ${this.run.limitMs} ms` });
  }

  /** Nobody waits for it any more. */
  leave(): void {
    this.run.take({ verdict: {} }, true);
  }
}
