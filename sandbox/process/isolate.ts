import type ivm from "isolated-vm";
import type { Fault, GuestError, LoadIsolate } from "../wire/messages.ts";
import { Alarm } from "./alarm.ts";
import { bytesOfText, textOfBytes } from "./conversions.ts";
import type { GuestCode } from "./guest-code.ts";
import type { GuestScript } from "./guest-script.ts";
import { LONG_TEXT, longTextPassed } from "./rubbish.ts";

export type Addon = typeof ivm;

/**
 * Limits the time of an entry on Windows, where nothing else ends an honest loop if the host dies. Elsewhere a watcher kills
 * the process. The limit costs a wake-up of another thread for each entry.
 */
const COURTESY = process.platform === "win32";

/** What an isolate needs of its process. */
export interface IsolateDeps {
  /** Called before each entry. */
  enter(): void;
  message(text: string): void;
  ask(text: string): string;
  random(bytes: number): string;
  /** A function that makes what lazy code exports; undefined for a name that none has. */
  lazyCode(name: string): GuestScript | undefined;
  /** A key from a password, or a digest. */
  derive(text: string): string;
  /** Texts of verdict frames, left by an entry that a timer began. */
  settled(verdicts: readonly string[]): void;
  /** The text of a priority frame. */
  priority(text: string): void;
  /** `task`: the one that the entry delivered, or 0. */
  fault(fault: Fault, task: number, thrown?: GuestError): void;
}

/** The dispatch that the text of a verdict frame is about. */
export const dispatchOf = (verdict: string): number => Number(verdict.slice(2, verdict.indexOf(":")));

/** The task that an entry's text is about, or 0. */
const taskOf = (text: string): number => Number(/^[EQ](\d+):/.exec(text)?.[1] ?? 0);

/** Most bytes of randomness for one request, as in the Web Crypto API. */
const MAX_RANDOM_BYTES = 65536;

/** Shortest time between two wake-ups for timers: an endless `setInterval(f, 0)` then costs 250 entries a second. */
const MIN_WAKE_MS = 4;

/** An isolate with our code in its two realms, in which nothing of a hook has run yet. */
export class PreparedIsolate {
  readonly memoryMb: number;
  readonly isolate: ivm.Isolate;
  readonly context: ivm.Context;
  /** The built-ins of the hook's realm. */
  readonly builtins: ivm.Reference;
  /** Starts the guest runtime, in the realm of its own. */
  readonly start: ivm.Reference;

  constructor(addon: Addon, memoryMb: number, code: GuestCode) {
    this.memoryMb = memoryMb;
    this.isolate = new addon.Isolate({ memoryLimit: memoryMb });
    this.context = this.isolate.createContextSync();
    const realm = code.realm.in(this.isolate, this.context);
    this.builtins = called(realm, []);
    this.start = code.runtime.in(this.isolate, this.isolate.createContextSync());
  }
}

/** Calls the function, which is not needed again. */
function called(made: ivm.Reference, args: ivm.Transferable[]): ivm.Reference {
  const result: ivm.Reference = made.applySync(undefined, args, { result: { reference: true } });
  made.release();
  return result;
}

/**
 * One V8 isolate, with the guest runtime in one realm and the hook in another. Only strings cross its boundary: `deliver` in,
 * `post` out. An entry is synchronous on this thread, and drains the hook's microtasks.
 *
 * What each entry meets is private for TypeScript alone, and in few functions: without a JIT each takes about a microsecond.
 */
export class GuestIsolate {
  readonly #isolate: ivm.Isolate;
  readonly #context: ivm.Context;
  readonly #request: LoadIsolate;
  private readonly deps: IsolateDeps;
  private readonly entry: ivm.Reference<(text: string) => void>;
  /** Texts of verdict frames, left by the entry that runs. */
  private verdicts: string[] | undefined;
  /** Texts of priority frames, sent after the entry: what it registers is reported before them. */
  private priorities: string[] | undefined;
  /** The isolate's only timer: the guest keeps the list of the hook's own. */
  readonly #timer = new Alarm(() => {
    const verdicts = this.deliver("K");
    if (verdicts) this.deps.settled(verdicts);
  });

  constructor(addon: Addon, prepared: PreparedIsolate, request: LoadIsolate, deps: IsolateDeps) {
    this.#request = request;
    this.deps = deps;
    this.#isolate = prepared.isolate;
    this.#context = prepared.context;
    const post = new addon.Callback(this.post);
    const runtime = called(prepared.start, [post, request.init, prepared.builtins.derefInto({ release: true })]);
    // A reference of the hook's realm: V8 allows code from strings by the realm that is entered.
    this.entry = this.#context.evalClosureSync("return $0;", [runtime.derefInto({ release: true })], {
      result: { reference: true },
      filename: "cordon-realm.js",
    });
  }

  /** Evaluates the bundle. The guest runtime reports "loaded" or "failed" itself, as evaluation may go on after this. */
  start(code: string): void {
    let compiled: ivm.Module | undefined;
    try {
      compiled = this.#isolate.compileModuleSync(code, { filename: "cordon-hook.js" });
      compiled.instantiateSync(this.#context, () => {
        throw new Error("a bundle imports nothing");
      });
    } catch {
      this.deps.fault(this.#isolate.isDisposed ? "memory" : "compile", 0);
      return;
    }
    const started = Date.now();
    this.deps.enter();
    try {
      compiled.evaluateSync({ timeout: this.#request.entryTimeoutMs });
    } catch (error) {
      this.#failed(started, 0, error);
    }
  }

  /** Returns the texts of verdict frames that the entry left. */
  deliver(text: string): readonly string[] | undefined {
    const started = COURTESY ? Date.now() : Number.POSITIVE_INFINITY;
    this.deps.enter();
    try {
      this.entry.applySync(undefined, [text], COURTESY ? { timeout: this.#request.entryTimeoutMs } : undefined);
    } catch (error) {
      this.#failed(started, taskOf(text), error);
    }
    const { priorities, verdicts } = this;
    if (priorities) {
      this.priorities = undefined;
      for (const priority of priorities) this.deps.priority(priority);
    }
    this.verdicts = undefined;
    return verdicts;
  }

  /** Bytes in use on its heap, and outside of the heap for it. */
  get size(): number {
    if (this.#isolate.isDisposed) return 0;
    const { used_heap_size: heap, externally_allocated_size: outside } = this.#isolate.getHeapStatisticsSync();
    return heap + outside;
  }

  dispose(): void {
    this.#timer.clear();
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }

  /**
   * An entry threw. The dispatch of this entry fails, whatever its verdict; verdicts on other dispatches hold.
   */
  #failed(started: number, dispatch: number, error: unknown): void {
    const late = Date.now() - started >= this.#request.entryTimeoutMs;
    const fault = this.#isolate.isDisposed ? "memory" : late ? "cpu" : "threw";
    this.verdicts =
      fault === "threw" ? this.verdicts?.filter((verdict) => dispatchOf(verdict) !== dispatch) : undefined;
    this.priorities = undefined;
    this.deps.fault(fault, dispatch, fault === "threw" ? thrownBy(error) : undefined);
  }

  /**
   * Evaluates lazy code in the hook's realm, within the entry that asks for it, whose microtasks wait. The guest could not do
   * so wherever a hook's code runs: what the runtime calls after a wait may evaluate no text.
   */
  #lazyCode(name: string): ivm.Transferable {
    return this.deps.lazyCode(name)?.in(this.#isolate, this.#context).derefInto({ release: true });
  }

  /** The guest's only exit. The first character is the kind of the text. */
  private readonly post = (text: string): ivm.Transferable => {
    if (text.length > LONG_TEXT) longTextPassed(text.length);
    switch (text[0]) {
      case "M":
        this.deps.message(text.slice(1));
        return;
      case "V":
        this.verdicts ??= [];
        this.verdicts.push(text.slice(1));
        return;
      case "Q":
        this.priorities ??= [];
        this.priorities.push(text.slice(1));
        return;
      case "S":
        return this.deps.ask(text.slice(1));
      case "X":
        return this.deps.random(Math.min(Number(text.slice(1)) || 0, MAX_RANDOM_BYTES));
      case "D":
        return this.deps.derive(text.slice(1));
      case "B":
        return bytesOfText(text.slice(1));
      case "T":
        return textOfBytes(text.slice(1));
      case "P":
        return this.#lazyCode(text.slice(1));
      case "W":
        this.#wake(Number(text.slice(1)));
        return;
    }
  };

  /** `ms`: none if it is negative, or no number, as a hook can make it. */
  #wake(ms: number): void {
    if (ms >= 0) this.#timer.set(Math.min(Math.max(ms, MIN_WAKE_MS), 0x7fffffff));
    else this.#timer.clear();
  }
}

/** Longest texts of what an entry threw. */
const MAX_THROWN = 1000;
const MAX_THROWN_STACK = 4000;

/** Frames of the hook's stack. The addon goes on with those of this process. */
const OF_HOOK = /^(?:(?!\n {4}at )[\s\S])*(?:\n {4}at (?!.*(?:<isolated-vm boundary>|process\.cjs)).*)+/;

/** What an entry threw. The addon made a copy of it in the isolate, so reading it runs no code of the hook's. */
function thrownBy(error: unknown): GuestError {
  if (!(error instanceof Error)) return { message: String(error).slice(0, MAX_THROWN) };
  const message = error.message.slice(0, MAX_THROWN);
  const [stack] = OF_HOOK.exec(error.stack?.slice(0, MAX_THROWN_STACK) ?? "") ?? [];
  return { message, ...(stack === undefined ? {} : { stack }) };
}
