import type { Runtime } from "../runtime/locate.ts";
import type { LaunchOptions } from "./launch.ts";
import { SandboxProcess } from "./process.ts";
import { Supervisor } from "./supervisor.ts";

/** What most hooks run with, so that a spare process can be started before it is known for whom. */
const USUAL: LaunchOptions = { memoryMb: 64, jit: false };

/** The sandbox processes of one host: a supervisor for each placement, and one warm spare. */
export class Pool {
  readonly #runtime: Runtime;
  readonly #supervisors = new Map<string, Supervisor>();
  /** Processes not yet taken over by a supervisor, or on their way out. */
  readonly #processes = new Set<SandboxProcess>();
  readonly #keepsSpare: boolean;
  #spare: SandboxProcess | undefined;
  #closed = false;

  /** `spare`: keep one ready while others run. The first is started at once in any case: it will be needed. */
  constructor(runtime: Runtime, spare = true) {
    this.#runtime = runtime;
    this.#keepsSpare = spare;
    this.#startSpare();
  }

  /** The supervisor for a placement: the same for all hooks that share it. */
  supervisor(placement: string, options: LaunchOptions): Supervisor {
    let supervisor = this.#supervisors.get(placement);
    if (!supervisor) {
      supervisor = new Supervisor(() => this.#take(options));
      this.#supervisors.set(placement, supervisor);
    }
    return supervisor;
  }

  get supervisors(): Iterable<Supervisor> {
    return this.#supervisors.values();
  }

  /** Leaves no process behind. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#supervisors.values()].map((supervisor) => supervisor.close()));
    for (const process of this.#processes) process.kill({ code: "CRASHED", summary: "the host was closed" });
    await Promise.all([...this.#processes].map((process) => process.gone));
  }

  #take(options: LaunchOptions): SandboxProcess {
    const fits = !options.jit && options.memoryMb <= USUAL.memoryMb;
    if (!fits) return this.#launch(options);
    const taken = this.#spare?.alive ? this.#spare : this.#launch(USUAL);
    this.#spare = undefined;
    // The next spare starts once this one is up, so that the two do not share the cores.
    void taken.ready.then(
      () => {
        if (this.#keepsSpare && !this.#closed && !this.#spare?.alive) this.#startSpare();
      },
      () => {},
    );
    return taken;
  }

  /** A host without a spare is slower to start a process, and nothing else. */
  #startSpare(): void {
    try {
      this.#spare = this.#launch(USUAL);
    } catch {
      this.#spare = undefined;
    }
  }

  #launch(options: LaunchOptions): SandboxProcess {
    if (this.#closed) throw new Error("the host was closed");
    const process = new SandboxProcess(this.#runtime, options);
    this.#processes.add(process);
    void process.gone.then(() => this.#processes.delete(process));
    return process;
  }
}
