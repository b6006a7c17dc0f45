import type {
  Apply,
  DialectName,
  GuestError,
  LoadIsolate,
  SyncFailure,
  SyncRequest,
} from "../../sandbox/wire/messages.ts";
import type { CordonError } from "../base/errors.ts";
import type { LargeRequest } from "./large-request.ts";
import type { Failure } from "./outcome.ts";

/** Takes what an isolate asks of the host. Throws for what the guest half would not have asked: its process is killed then. */
export interface RequestHandler {
  /** `size`: of the frame it came in, in characters. */
  call(apply: Apply, size: number): void;
  /** A request that is large: why it is refused without being looked at. Throws for one that is never as large. */
  refusesLarge(request: LargeRequest): CordonError | undefined;
  abort(call: number): void;
  /** The handler that asked for these is over its time: what it asked for is cancelled. */
  release(dispatch: number): void;
  sync(request: SyncRequest): Promise<{ value: unknown } | SyncFailure>;
  /** The grant has become less: what it does not cover any more ends. */
  narrowed(): void;
  /** The isolate is gone: its requests are cancelled and their answers go nowhere. */
  forget(): void;
}

/** Stands for an isolate's hook in the host. */
export interface IsolateOwner {
  readonly requests: RequestHandler;
  log(level: "debug" | "info" | "warn" | "error", text: string, at?: string): void;
  error(error: GuestError): void;
  /** It has loaded, and this is how. `hasMatchers`: its priority for an event is to be asked for. `unsupported`: what it goes without. */
  loaded(dialect: DialectName | undefined, hasMatchers: boolean, unsupported: readonly string[]): void;
  events(events: ReadonlyMap<string, number>): void;
  /** The isolate is gone. `culprit`: its hook caused that. */
  crashed(failure: Failure, culprit: boolean): void;
  state(state: IsolateState, failure?: Failure): void;
}

export type IsolateState = "starting" | "active" | "failed" | "stopped";

/** Crashes within this time count together; so many of them stop a hook. */
const CRASH_WINDOW_MS = 60_000;
const MAX_CRASHES = 3;

/** A hook as its supervisor sees it: an isolate to load into each new process. */
export class HostedIsolate {
  readonly number: number;
  readonly name: string;
  readonly load: LoadIsolate;
  readonly cpuMs: number;
  readonly owner: IsolateOwner;
  #state: IsolateState = "starting";
  #crashes: number[] = [];
  readonly #sizes: ((bytes: number) => void)[] = [];

  constructor(options: {
    number: number;
    name: string;
    load: LoadIsolate;
    cpuMs: number;
    owner: IsolateOwner;
  }) {
    this.number = options.number;
    this.name = options.name;
    this.load = options.load;
    this.cpuMs = options.cpuMs;
    this.owner = options.owner;
  }

  /** Resolves with the next size that its process says it has, in bytes. */
  nextSize(): Promise<number> {
    return new Promise((resolve) => {
      this.#sizes.push(resolve);
    });
  }

  /** Throws for a size that nobody asked for, or that is none. */
  measured(text: string): void {
    const waiting = this.#sizes.shift();
    if (!waiting || !/^\d{1,12}$/.test(text)) throw new Error("a size nobody asked for");
    waiting(Number(text));
  }

  get state(): IsolateState {
    return this.#state;
  }

  become(state: IsolateState, failure?: Failure): void {
    this.#state = state;
    this.owner.state(state, failure);
  }

  /** Counts a crash of this hook's making. True if it was one too many. */
  crash(now = performance.now()): boolean {
    this.#crashes = [...this.#crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    return this.#crashes.length >= MAX_CRASHES;
  }

  get recentCrashes(): number {
    return this.#crashes.length;
  }

  /** A person restarted the hook: what was before does not count. */
  forgive(): void {
    this.#crashes = [];
  }
}
