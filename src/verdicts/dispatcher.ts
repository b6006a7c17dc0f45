import { AsyncResource } from "node:async_hooks";
import { MAX_FRAME_BYTES, type PriorityQuestion } from "../../sandbox/wire/messages.ts";
import type { Run } from "../../sandbox/wire/registrations.ts";
import type { ErrorCode } from "../base/errors.ts";
import type { Suggest } from "../hook-screen.ts";
import type { Session } from "../powers/lent-session.ts";
import type { Hook } from "../session/hook.ts";
import type { HostedIsolate } from "../supervisor/hosted-isolate.ts";
import { type Failure, isPass, type Outcome } from "../supervisor/outcome.ts";
import { type CallTool, type PreparedEvent, type ProviderTold, prepareEvent } from "../supervisor/prepared-event.ts";
import type { PriorityAnswer } from "../supervisor/priority-query.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { withCheckedResult } from "./result-shape.ts";

/** Largest event: a frame also holds the envelope and the list of isolates. */
const MAX_EVENT_BYTES = MAX_FRAME_BYTES - 64 * 1024;

export interface AnyEvent {
  readonly type: string;
  readonly input?: unknown;
}

/** What is made sure of a hook right before it is asked: its process may have ended while hooks before it were. */
export interface Gate {
  /** Makes it ready; `undefined` if it is. Asked again after each wait. */
  ready?(hook: Hook): Promise<void> | undefined;
  /** Why it cannot judge all the same, if so. */
  fault?(hook: Hook): Failure | undefined;
  /** It need not be asked any more. */
  skips?(hook: Hook): boolean;
  /** How often it heard of what changes its verdicts: one that hears of more before its turn comes is asked again. */
  heard?(hook: Hook): number;
  /** They are asked now. */
  asking?(hooks: readonly Hook[]): void;
  /** Of these, the ones that were not asked after all: one before them ended the run. */
  unasked?(hooks: readonly Hook[]): void;
}

/** How long a process may take to start beside the time for an event, in ms: one that ends again and again is not waited for. */
export const START_MS = 60_000;

/** Sends events to hooks in order. Hooks that follow each other in one process share a round trip. */
export class Dispatcher {
  readonly #session: Session;
  /** ms that a handler may take. */
  readonly hookTimeout: number;
  readonly #beforeDecision: () => void;

  /** `beforeDecision` is called before anything but a pass is handed on. */
  constructor(session: Session, hookTimeout: number, beforeDecision: () => void) {
    this.#session = session;
    this.hookTimeout = hookTimeout;
    this.#beforeDecision = beforeDecision;
  }

  /**
   * Asks each hook in turn until `visit` says stop. `signal`: when it is aborted, the running handler's requests are
   * cancelled; its outcome still comes. An event that is too large for a frame is a failure of every hook. No hook is asked
   * before it has passed `gate`.
   */
  async each(
    hooks: readonly Hook[],
    event: AnyEvent,
    visit: (hook: Hook, outcome: Outcome) => "stop" | undefined,
    { gate, signal }: { gate?: Gate; signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    let prepared: PreparedEvent | undefined;
    for (let at = 0; at < hooks.length; ) {
      const first = hooks[at] as Hook;
      prepared ??= this.#prepare(event);
      const isSkipped = (): boolean => gate?.skips?.(first) === true;
      const late = isSkipped() ? undefined : readying(first, gate) && (await this.#lateness(first, gate));
      // It may have heard what this is about while it was waited for.
      if (isSkipped()) {
        at++;
        continue;
      }
      // From here to the question nothing is awaited.
      const fault = late ?? gate?.fault?.(first);
      const together = fault ? [first] : neighbours(hooks, at, gate);
      if (!fault) gate?.asking?.(together);
      // The first is at work before anything that is sent later.
      const heard = together.length > 1 && gate?.heard ? together.map(gate.heard) : undefined;
      const given = fault ? [{ failure: fault }] : await this.#ask(together, prepared, signal);
      const changed = heard?.findIndex((times, index) => index > 0 && gate?.heard?.(together[index] as Hook) !== times);
      const answered = changed !== undefined && changed > 0 ? given.slice(0, changed) : given;
      gate?.unasked?.(together.slice(answered.length));
      const outcomes = answered.length > 0 ? answered : [failed("CRASHED", "it gave no answer")];
      for (const index of outcomes.some(isShared) ? blameFirst(outcomes) : outcomes.keys()) {
        let outcome = outcomes[index] as Outcome;
        if (!isPass(outcome)) {
          outcome = withCheckedResult(event, outcome);
          this.#beforeDecision();
        }
        if (visit(together[index] as Hook, outcome) === "stop") return;
      }
      // A hook can end a run early. `visit` decided whether that counts; if not, the hooks after it are asked now.
      at += outcomes.length;
    }
  }

  /** Waits until a hook can be asked. Returns a failure if it takes too long. */
  async #lateness(hook: Hook, gate: Gate | undefined): Promise<Failure | undefined> {
    const end = performance.now() + this.hookTimeout + START_MS;
    let before: Promise<void> | undefined;
    for (let waits = readying(hook, gate); waits && waits !== before; waits = readying(hook, gate)) {
      if (performance.now() > end) return { code: "TIMEOUT", summary: "it was not ready in time" };
      await waits;
      before = waits;
    }
    return undefined;
  }

  /**
   * Makes one hook run what it registered. `signal`: when it is aborted, the hook is told, and its outcome still comes.
   * `limitMs`: most waking time.
   */
  async run(
    hook: Hook,
    run: Run,
    limitMs: number,
    options: {
      signal?: AbortSignal | undefined;
      onUpdate?: ((partial: object) => void) | undefined;
      callTool?: CallTool | undefined;
      suggest?: Suggest | undefined;
      provider?: ProviderTold | undefined;
      /** When it is aborted, nobody waits any more: the hook's requests are cancelled. */
      cancel?: AbortSignal | undefined;
    },
  ): Promise<Outcome> {
    const { signal, onUpdate, callTool, suggest, provider, cancel } = options;
    const prepared = {
      ...this.#prepare({ ...run }),
      ...(signal ? { signal } : {}),
      ...(onUpdate ? { onUpdate } : {}),
      ...(callTool ? { callTool } : {}),
      ...(suggest ? { suggest } : {}),
      ...(provider ? { provider } : {}),
    };
    const [outcome] = await this.#ask([hook], prepared, cancel, limitMs);
    return withCheckedResult(run, outcome ?? failed("CRASHED", "it gave no answer"));
  }

  /** Asks a hook for its priority for such events. */
  async priorityOf(hook: Hook, about: PriorityQuestion): Promise<PriorityAnswer> {
    const supervisor = hook.hosting?.supervisor;
    if (supervisor && !supervisor.hasStarted) await supervisor.whenStarted();
    // It may have been restarted meanwhile.
    const { hosting } = hook;
    if (!hosting) return failed("CRASHED", "it is not running");
    return hosting.supervisor.askPriority(hosting.isolate, about, this.hookTimeout);
  }

  #prepare(event: AnyEvent): PreparedEvent {
    const { hasUI, sessionFile, agent } = this.#session;
    const state = agent?.state?.();
    return prepareEvent(event, { hasUI, sessionFile, ...(state ? { state } : {}) });
  }

  #ask(
    hooks: readonly Hook[],
    event: PreparedEvent,
    signal: AbortSignal | undefined,
    limitMs = this.hookTimeout,
  ): readonly Outcome[] | Promise<readonly Outcome[]> {
    const bytes = Buffer.byteLength(event.text);
    if (bytes > MAX_EVENT_BYTES)
      return hooks.map(() => unsent("BAD_RESULT", `an event of ${bytes} bytes is too large to be shown to it`));
    const supervisor = hooks[0]?.hosting?.supervisor;
    if (!supervisor) return hooks.map(() => unsent("CRASHED", "it is not running"));
    if (supervisor.hasStarted) return send(supervisor, hooks, event, signal, limitMs);
    return supervisor.whenStarted().then(() => send(supervisor, hooks, event, signal, limitMs));
  }
}

function send(
  supervisor: Supervisor,
  hooks: readonly Hook[],
  event: PreparedEvent,
  signal: AbortSignal | undefined,
  limitMs: number,
): readonly Outcome[] | Promise<readonly Outcome[]> {
  const isolates: HostedIsolate[] = [];
  for (const { hosting } of hooks) {
    // One of them may have been removed meanwhile: its verdict must not be attributed to another.
    if (hosting?.supervisor !== supervisor) return hooks.map(() => unsent("CRASHED", "it was restarted meanwhile"));
    isolates.push(hosting.isolate);
  }
  const outcomes =
    signal || event.signal
      ? dispatchAbortable(supervisor, isolates, event, signal, limitMs)
      : supervisor.dispatch(isolates, event, limitMs);
  // Hooks judge by now: what they need not wait for comes after.
  event.context ??= new AsyncResource("cordon");
  const now = Date.now();
  for (const hook of hooks) hook.lastUse = now;
  return outcomes;
}

function dispatchAbortable(
  supervisor: Supervisor,
  isolates: readonly HostedIsolate[],
  event: PreparedEvent,
  signal: AbortSignal | undefined,
  limitMs: number,
): Promise<readonly Outcome[]> {
  const cleanUps: (() => void)[] = [];
  const outcomes = supervisor.dispatch(isolates, event, limitMs, (run) => {
    const tellAborted = (): void => {
      for (const isolate of run.isolates) supervisor.tell(isolate, { t: "signal", id: run.id });
    };
    cleanUps.push(
      onAbort(signal, () => supervisor.cancel(run)),
      onAbort(event.signal, tellAborted),
    );
  });
  return outcomes.finally(() => {
    for (const cleanUp of cleanUps) cleanUp();
  });
}

const failed = (code: ErrorCode, summary: string): { failure: Failure } => ({ failure: { code, summary } });
const unsent = (code: ErrorCode, summary: string): { failure: Failure } => ({
  failure: { code, summary, unsent: true },
});

/** What a hook waits for before it can be asked; `undefined` if it is ready. A process that does not start has failed its hooks. */
function readying(hook: Hook, gate: Gate | undefined): Promise<void> | undefined {
  const { hosting, bringingUp } = hook;
  if (!hosting) return bringingUp;
  return hosting.supervisor.hasStarted ? gate?.ready?.(hook) : hosting.supervisor.whenStarted();
}

const isShared = (outcome: Outcome): boolean => "failure" in outcome && outcome.failure.shared === true;

/** The indexes of outcomes after a process died. That of the hook that caused it comes first. */
const blameFirst = (outcomes: readonly Outcome[]): number[] =>
  [...outcomes.keys()].sort(
    (a, b) => Number(isShared(outcomes[a] as Outcome)) - Number(isShared(outcomes[b] as Outcome)),
  );

/** The hooks from `at` on that run in the same process. A hook that is down is asked alone, so that only it fails. */
function neighbours(hooks: readonly Hook[], at: number, gate: Gate | undefined): readonly Hook[] {
  const first = hooks[at] as Hook;
  let end = at + 1;
  while (end < hooks.length && runTogether(first, hooks[end] as Hook, gate)) end++;
  return hooks.slice(at, end);
}

const runTogether = (first: Hook, next: Hook, gate: Gate | undefined): boolean =>
  next.hosting?.supervisor === first.hosting?.supervisor && !first.isDown && !next.isDown && isOpen(next, gate);

/** Nothing has to be waited for before it is asked. */
const isOpen = (hook: Hook, gate: Gate | undefined): boolean =>
  !gate || (!gate.skips?.(hook) && !gate.ready?.(hook) && !gate.fault?.(hook));

function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) act();
  signal.addEventListener("abort", act, { once: true });
  return () => signal.removeEventListener("abort", act);
}
