import { attemptOr } from "../base/attempt.ts";
import type { Runtime } from "../runtime/locate.ts";
import type { LaunchOptions } from "./launch.ts";
import { SandboxProcess } from "./process.ts";
import { Supervisor } from "./supervisor.ts";

/** The options of most hooks. A spare process is started with them before it is known which hook it will run. */
const USUAL: LaunchOptions = { memoryMb: 64, jit: false };

/**
 * How long after a process began the next spare starts, in ms: an agent that starts needs the cores itself, and many hosts end
 * before.
 */
const SPARE_AFTER_MS = 1000;

/**
 * Most isolates in a process. Each takes about 2.5 MB of what the process may have (see `launch.ts`): from fifty on, none is
 * left for what hooks do.
 */
const MAX_ISOLATES = 20;

/** From how many hooks on a process is one of many, see `launch.ts`. */
const MANY = MAX_ISOLATES / 2;

/** The sandbox processes of one host: one or more supervisors for each placement, and one warm spare. */
export class Pool {
  readonly #runtime: Runtime;
  readonly #supervisors = new Map<string, Supervisor[]>();
  /** All processes that are not gone yet. */
  readonly #processes = new Set<SandboxProcess>();
  readonly #keepsSpare: boolean;
  #spare: SandboxProcess | undefined;
  #nextSpare: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * `spare`: keep one process ready while others run. The first is started at once in any case, since it will be needed. `hooks`: how
   * many will be run.
   */
  constructor(runtime: Runtime, { spare = true, hooks = 1 }: { spare?: boolean | undefined; hooks?: number } = {}) {
    this.#runtime = runtime;
    this.#keepsSpare = spare;
    this.#startSpare({ ...USUAL, many: hooks >= MANY });
  }

  /** A supervisor for a hook of this placement: hooks share it until it is full. */
  supervisor(placement: string, options: LaunchOptions): Supervisor {
    const shared = this.#supervisors.get(placement) ?? [];
    const open = shared.find(({ isolates }) => isolates.length < MAX_ISOLATES);
    if (open) return open;
    const added = new Supervisor(() => this.#take(options));
    this.#supervisors.set(placement, [...shared, added]);
    return added;
  }

  /** Leaves no process behind. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#nextSpare);
    await Promise.allSettled([...this.#supervisors.values()].flat().map((supervisor) => supervisor.close()));
    for (const process of this.#processes) process.kill({ code: "CRASHED", summary: "the host was closed" });
    await Promise.all([...this.#processes].map((process) => process.gone));
  }

  #take(options: LaunchOptions): SandboxProcess {
    const fits = !options.jit && options.memoryMb <= USUAL.memoryMb;
    if (!fits) return this.#launch(options);
    const taken = this.#spare?.alive ? this.#spare : this.#launch(USUAL);
    this.#spare = undefined;
    // Each process that is taken puts it off.
    clearTimeout(this.#nextSpare);
    if (this.#keepsSpare) this.#nextSpare = setTimeout(() => this.#startSpare(), SPARE_AFTER_MS).unref();
    return taken;
  }

  /** Ignores failures: a host without a spare only starts processes more slowly. */
  #startSpare(options = USUAL): void {
    const spare = attemptOr(() => this.#launch(options), undefined);
    this.#spare = spare;
    spare?.ready.then(
      () => {
        // What is taken already has its bundle, or gets it at once.
        if (this.#spare === spare) spare.prepare(USUAL.memoryMb);
      },
      () => {},
    );
  }

  #launch(options: LaunchOptions): SandboxProcess {
    if (this.#closed) throw new Error("the host was closed");
    const process = new SandboxProcess(this.#runtime, options);
    this.#processes.add(process);
    void process.gone.then(() => this.#processes.delete(process));
    return process;
  }
}
