import { ToSandbox } from "../../sandbox/wire/messages.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Transport } from "./transport.ts";
import { afterWaking } from "./waking-time.ts";

/**
 * Isolates that were removed from a process which has not dropped them yet. Their code may still run; no other hook is
 * blamed for what it does.
 */
export class Leaving {
  readonly #process: Transport;
  readonly #isolates = new Map<number, { name: string; stop: () => void }>();

  constructor(process: Transport) {
    this.#process = process;
  }

  /** Has an isolate dropped. If its code does not end, the process is killed. */
  begin({ number, name, cpuMs }: HostedIsolate): void {
    this.#process.send(ToSandbox.drop, number, "");
    const stop = afterWaking(cpuMs, () =>
      this.#process.kill({ code: "CRASHED", summary: `${name} was removed from it, and its code did not end` }),
    );
    this.#isolates.set(number, { name, stop });
  }

  /** The process has dropped an isolate. Throws if that was not removed. */
  dropped(number: number): void {
    const isolate = this.#isolates.get(number);
    if (!isolate) throw new Error("it dropped what nobody took out");
    isolate.stop();
    this.#isolates.delete(number);
  }

  get names(): readonly string[] {
    return [...this.#isolates.values()].map(({ name }) => name);
  }

  close(): void {
    for (const { stop } of this.#isolates.values()) stop();
  }
}
