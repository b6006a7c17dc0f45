import type {
  Apply,
  DialectName,
  GuestError,
  LoadIsolate,
  SyncFailure,
  SyncRequest,
} from "../../sandbox/wire/messages.ts";
import type { Description, RegistrationKind } from "../../sandbox/wire/registrations.ts";
import type { ScreenChange } from "../../sandbox/wire/screens.ts";
import type { ErrorFacts } from "../base/errors.ts";
import type { LargeRequest } from "./large-request.ts";
import type { Failure } from "./outcome.ts";

/** Handles an isolate's requests. Throws for a request that the guest half never makes; its process is then killed. */
export interface RequestHandler {
  /** `size`: of the frame it came in, in characters. */
  call(apply: Apply, size: number): void;
  /** Returns why a large request is refused without being parsed. Throws for an operation that is never that large. */
  refusesLarge(request: LargeRequest): ErrorFacts | undefined;
  abort(call: number): void;
  /** Cancels the requests of a handler that used up its time. */
  release(dispatch: number): void;
  sync(request: SyncRequest): Promise<{ value: unknown } | SyncFailure>;
  /** Ends what the grant no longer covers. */
  narrowed(): void;
  /** The isolate is gone: cancels its requests and drops their answers. */
  forget(): void;
}

/** Represents an isolate's hook in the host. */
export interface IsolateOwner {
  readonly requests: RequestHandler;
  log(level: "debug" | "info" | "warn" | "error", text: string, at?: string): void;
  /** Reports an error. Returns the place in the hook's source that its stack names. */
  error(error: GuestError): string | undefined;
  /** The bundle loaded. `hasMatchers`: ask for its priority before each event. `unsupported`: missing parts of the agent's API. */
  loaded(dialect: DialectName | undefined, hasMatchers: boolean, unsupported: readonly string[]): void;
  events(events: ReadonlyMap<string, number>): void;
  /** The bundle adds to the agent; `null`: it takes that back. Throws if it adds more than the guest half allows. */
  registered(kind: RegistrationKind, name: string, description: Description | null): void;
  /** A branch of the bundle ran for the first time. Throws if it has no such branch. */
  reached(branch: number): void;
  /** Something happened to a component that the bundle shows, or showed. */
  screen(number: number, change: ScreenChange): void;
  /** The isolate is gone. `culprit`: its hook caused that. */
  crashed(failure: Failure, culprit: boolean): void;
  state(state: IsolateState, failure?: Failure): void;
}

export type IsolateState = "starting" | "active" | "failed" | "stopped";

/** A hook is stopped after this many crashes within this time. */
const CRASH_WINDOW_MS = 60_000;
const MAX_CRASHES = 3;

/** One isolate of a supervisor's, loaded again into each new process. */
export class HostedIsolate {
  readonly number: number;
  readonly name: string;
  readonly load: LoadIsolate;
  /** The built bundle. */
  readonly code: string;
  readonly cpuMs: number;
  readonly owner: IsolateOwner;
  #state: IsolateState = "starting";
  #crashes: number[] = [];
  readonly #sizes: ((bytes: number) => void)[] = [];

  constructor(options: Pick<HostedIsolate, "number" | "name" | "load" | "code" | "cpuMs" | "owner">) {
    this.number = options.number;
    this.name = options.name;
    this.load = options.load;
    this.code = options.code;
    this.cpuMs = options.cpuMs;
    this.owner = options.owner;
  }

  /** Resolves with the next size that the process reports for it, in bytes. */
  nextSize(): Promise<number> {
    return new Promise((resolve) => {
      this.#sizes.push(resolve);
    });
  }

  /** Takes a reported size. Throws if nobody asked for it, or if it is not a number. */
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

  /** Counts a crash that this hook caused. True if the hook is to be stopped. */
  crash(now = performance.now()): boolean {
    this.#crashes = [...this.#crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    return this.#crashes.length >= MAX_CRASHES;
  }

  get recentCrashes(): number {
    return this.#crashes.length;
  }

  /** A person restarted the hook: earlier crashes no longer count. */
  forgive(): void {
    this.#crashes = [];
  }
}
