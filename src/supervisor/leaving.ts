import { ToSandbox } from "../../sandbox/wire/messages.ts";
import type { HostedIsolate } from "./hosted-isolate.ts";
import type { Transport } from "./transport.ts";
import { afterWaking } from "./waking-time.ts";

/**
 * Isolates that were taken out of a process, until that has dropped them: it may stand in their code for as long,
 * and then nobody else is to blame for it.
 */
export class Leaving {
  readonly #process: Transport;
  readonly #isolates = new Map<number, { name: string; stop: () => void }>();

  constructor(process: Transport) {
    this.#process = process;
  }

  /** Has its isolate dropped. One that does not come to an end takes the process with it. */
  begin({ number, name, cpuMs }: HostedIsolate): void {
    this.#process.send(ToSandbox.drop, number, "");
    const stop = afterWaking(cpuMs, () =>
      this.#process.kill({ code: "CRASHED", summary: `${name} was taken out of it, and did not come to an end` }),
    );
    this.#isolates.set(number, { name, stop });
  }

  /** The process says so. Throws for what is not leaving. */
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
