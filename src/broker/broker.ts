import type { Apply, SyncFailure, SyncRequest } from "../../sandbox/wire/messages.ts";
import { LARGE_REQUEST, OPERATIONS, type Operation } from "../../sandbox/wire/operations.ts";
import { CordonError, type ErrorFacts } from "../base/errors.ts";
import { RateLimit } from "../base/rate-limit.ts";
import { compile, type SchemaCheck } from "../base/schema.ts";
import { cleanLine } from "../base/text.ts";
import type { Capabilities } from "../grants/schema.ts";
import type { AnyCapability, Asked, Circumstances, Permitted } from "../powers/capability.ts";
import { CAPABILITIES } from "../powers/index.ts";
import { requestSchema } from "../powers/request-schema.ts";
import type { Hook } from "../session/hook.ts";
import { isCallHead } from "../supervisor/guest-frames.ts";
import type { RequestHandler } from "../supervisor/hosted-isolate.ts";
import type { Hosting } from "../supervisor/hosting.ts";
import type { LargeRequest } from "../supervisor/large-request.ts";
import type { Task } from "../supervisor/task.ts";
import { answerCall, type CallAnswer, type FailedCall, failureOf, told } from "./answer-call.ts";
import { Checks } from "./checks.ts";
import { isEnded, type OpenRequest, OpenRequests } from "./open-requests.ts";
import { pretended } from "./pretended.ts";
import { Refusals } from "./refusals.ts";
import type { BrokerServices } from "./services.ts";
import { UsedEntries } from "./used-entries.ts";

/** Most open requests of one hook. The guest half refuses more than a quarter of it. */
const MAX_OPEN = 512;

/**
 * Characters of one hook's requests that wait for a person, their turn or their answers, where their power says nothing else: the host
 * keeps each as text, and what it is made of.
 */
const MOST_WAITING = 32_000_000;

/** Longest text of what a power was used on that OpenTelemetry gets. */
const MAX_SPAN_VALUE = 2000;

/** Checks of what comes out of a sandbox, by operation. */
const requests: ReadonlyMap<string, { isRequest: SchemaCheck } & Pick<Operation, "blocking" | "most">> = new Map(
  Object.entries<Operation>(OPERATIONS).map(([name, operation]) => [
    name,
    { ...operation, isRequest: compile(requestSchema(operation)) },
  ]),
);

/**
 * Stands between one hook and the host. Each request is read, checked against the grant, written to the audit and only then
 * performed. The broker knows nothing about single capabilities.
 */
export class Broker implements RequestHandler {
  readonly #hook: Hook;
  readonly #hosting: Hosting;
  readonly #services: BrokerServices;
  readonly #open = new OpenRequests();
  readonly #ids = new Set<string>();
  /** The guest counts its calls up from 1. */
  #lastCall = 0;
  /** The guest does not number blocking calls: they are counted down from 0. */
  #lastSync = 0;
  readonly #rates = new Map<string, RateLimit>();
  readonly #refusals: Refusals;
  readonly #checks: Checks;
  readonly #entries = new UsedEntries();

  constructor(hook: Hook, hosting: Hosting, services: BrokerServices) {
    this.#hook = hook;
    this.#hosting = hosting;
    this.#services = services;
    this.#refusals = new Refusals(hook, services.reporter, services.pretence !== undefined);
    // A module's request does not name its event: its task is the only open one, if there is one.
    this.#checks = new Checks(hook, services, this.#refusals, () => this.#taskOf(0)?.wait("person"));
  }

  /**
   * Throws for a request that the guest half never sends; its process is then killed. `size`: the memory that the request
   * takes while it waits, in characters.
   */
  call(apply: Apply, size: number): void {
    const [head, ...args] = apply.argumentList.map((argument) => argument.value);
    const method = apply.path[0];
    const capability = CAPABILITIES.get(method);
    const operation = requests.get(method);
    if (!isCallHead(head) || !capability || !operation || operation.blocking === "only")
      throw new Error(`a call of ${cleanLine(method, 64)}`);
    if (!operation.isRequest.Check(args)) throw new Error(`a call of ${method} with other arguments than it takes`);
    if (this.#ids.has(apply.id) || head.call <= this.#lastCall) throw new Error("a call that was made before");
    if (this.#open.size >= MAX_OPEN) throw new Error(`more than ${MAX_OPEN} open calls`);
    this.#lastCall = head.call;
    const task = this.#taskOf(head.dispatch);
    // What a module began ends with the event only if the event waits for it.
    const dispatch = head.dispatch === 0 && capability.waits ? (task?.id ?? 0) : head.dispatch;
    const most = capability.maxWaiting ?? MOST_WAITING;
    const open = this.#open.begin(head.call, dispatch, { size, most });
    this.#ids.add(apply.id);
    const waiting = this.#open.waiting(most);
    const answered =
      waiting > most ? this.#tooMuch(method, waiting) : this.#serve(method, capability, args, task, open);
    void answered.then((answer) => {
      if (!this.#open.end(head.call, open)) return;
      this.#ids.delete(apply.id);
      answerCall(this.#hosting, apply.id, answer);
    });
  }

  /**
   * Refuses a large request before it is parsed, if its power was not granted, and answers the call. Returns the refusal.
   * Throws for an operation that does not exist or is never that large.
   */
  refusesLarge({ operation, call }: LargeRequest): ErrorFacts | undefined {
    const capability = CAPABILITIES.get(operation);
    if (!capability || requests.get(operation)?.most !== undefined)
      throw new Error(`a call of ${cleanLine(operation, 64)} that is too large`);
    this.#services.decisions.takeRevoked();
    if (capability.isGranted(this.#powers)) return undefined;
    if (call && (this.#ids.has(call.id) || call.number <= this.#lastCall))
      throw new Error("a call that was made before");
    const policy = this.#services.consent.forbiddenBy(
      this.#hook,
      capability.capability,
      undefined,
      capability.isGranted,
    );
    const refusal = this.#refusals.count()
      ? this.#refusals.refuse(
          "NOT_GRANTED",
          capability.capability,
          `a request of more than ${LARGE_REQUEST} characters`,
          undefined,
          policy === undefined
            ? undefined
            : {
                capability: capability.capability,
                grant: undefined,
                isForbidden: true,
                told: undefined,
                isGrantedSince: false,
              },
        )
      : this.#refusals.tooMany(operation);
    const by = policy !== undefined && refusal.code === "NOT_GRANTED" ? { policy } : {};
    this.#refusals.audit({ capability: operation, value: "", ...by, outcome: refusal.code });
    if (call) {
      this.#lastCall = call.number;
      answerCall(this.#hosting, call.id, { error: refusal });
    }
    return refusal;
  }

  /** Requests that wait are kept whole, so their total size is limited. */
  async #tooMuch(method: string, waiting: number): Promise<FailedCall> {
    this.#refusals.audit({ capability: method, value: "", outcome: "RATE_LIMITED" });
    const what = `${waiting} characters waiting for answers, which is too much`;
    return { error: { code: "RATE_LIMITED", message: `hook ${this.#hook.name} has ${what}` } };
  }

  /** Handles a synchronous call. It never waits for a dialog: the call is refused now, and a person is asked afterwards. */
  sync({ op, dispatch, args }: SyncRequest): Promise<{ value: unknown } | SyncFailure> {
    const capability = CAPABILITIES.get(op);
    const operation = requests.get(op);
    if (!capability || !operation?.blocking) throw new Error(`a synchronous call of ${cleanLine(op, 64)}`);
    if (!operation.isRequest.Check(args)) throw new Error(`a call of ${op} with other arguments than it takes`);
    const mine = this.#taskOf(dispatch);
    const call = --this.#lastSync;
    const open = this.#open.begin(call, mine?.id ?? dispatch);
    return this.#serve(op, capability, args, mine, open, true).then((answer) => {
      this.#open.end(call, open);
      return "value" in answer ? { value: answer.value ?? null } : { error: told(answer.error) };
    });
  }

  /** The task that a call belongs to. A module does not know its event: its task is the only open one, if there is one. */
  #taskOf(dispatch: number): Task | undefined {
    const { isolate, supervisor } = this.#hosting;
    const task = dispatch === 0 ? supervisor.onlyTask(isolate) : supervisor.task(dispatch);
    return task?.current === isolate ? task : undefined;
  }

  abort(call: number): void {
    this.#open.abort(call);
  }

  release(dispatch: number): void {
    this.#open.release(dispatch);
  }

  narrowed(): void {
    this.#open.narrowed();
  }

  forget(): void {
    this.#open.clear();
    this.#ids.clear();
    this.#lastCall = 0;
  }

  async #serve(
    method: string,
    capability: AnyCapability,
    args: readonly unknown[],
    task: Task | undefined,
    open: OpenRequest,
    blocks = false,
  ): Promise<CallAnswer> {
    const { pretence } = this.#services;
    const event = task?.event;
    let asked: Asked | undefined;
    let resume: (() => void) | undefined;
    const circumstances: Circumstances = {
      hook: this.#hook,
      session: this.#services.session,
      event,
      signal: open.cancel.signal,
      blocks,
      last: (end, over) => this.#open.last(open, end, over),
      seen: (isSeen) => {
        resume?.();
        // It stops its own clock alone, and not that of the hook after it.
        const waits = isSeen && task?.current === this.#hosting.isolate && asked?.waits;
        resume = waits ? task?.wait(waits) : undefined;
      },
      also: (value) => {
        const line = { capability: method, value, ...(event ? { event: event.type } : {}), outcome: "allowed" };
        if (!this.#refusals.audit(line)) throw new CordonError("NOT_GRANTED", unwritten(method));
      },
    };
    let over: (() => void) | undefined;
    const failed = (error: FailedCall["error"]): CallAnswer | Promise<CallAnswer> =>
      pretence && asked && error.code === "NOT_GRANTED"
        ? pretended({ method, capability, args, asked, circumstances }, pretence, error)
        : { error };
    try {
      asked = capability.ask(args, circumstances);
      if (asked.waits) resume = task?.wait(asked.waits);
      const nothing = asked.without();
      if (nothing) return nothing;
      over = asked.begin();
      const judged = await this.#checks.of({ method, capability, asked, event, open, mayAsk: !blocks });
      if ("error" in judged) return failed(judged.error);
      const { permitted, isGranted } = judged;
      // A person may have answered too late.
      if (isEnded(open.cancel.signal)) return failed(tooLate(method));
      const value = asked.describe();
      const facts = { capability: method, value, ...(event ? { event: event.type } : {}) };
      const most = this.#overrun(method, capability, permitted);
      if (most !== undefined) {
        this.#refusals.audit({ ...facts, outcome: "RATE_LIMITED" });
        return failed(this.#refusals.refuse("RATE_LIMITED", method, `more than ${most} in a minute`, event));
      }
      const instead = pretence?.instead?.(method, args);
      const grant = isGranted && this.#entries.of(method, capability.capability, value, asked, this.#powers);
      const found = permitted.found();
      const line = { ...facts, value: found === undefined ? value : `${value}, which leads to ${found}` };
      if (!this.#refusals.audit({ ...line, ...(grant ? { grant } : {}), outcome: instead ? "pretended" : "allowed" }))
        return failed({ code: "NOT_GRANTED", message: unwritten(method) });
      if (instead) return instead;
      // Whoever reads the audit may have revoked it.
      if (isEnded(open.cancel.signal)) return failed(tooLate(method));
      this.#hook.lastUse = Date.now();
      return { value: await this.#timed(method, facts.value, permitted.perform) };
    } catch (error) {
      return failed(failureOf(error));
    } finally {
      over?.();
      resume?.();
    }
  }

  /** Performs a request, and tells OpenTelemetry how long it took. */
  async #timed(name: string, value: string, perform: () => Promise<unknown>): Promise<unknown> {
    const start = Date.now();
    let outcome = "failed";
    try {
      const result = await perform();
      outcome = "done";
      return result;
    } finally {
      this.#services.reporter.timed(() => ({
        name,
        value: cleanLine(value, MAX_SPAN_VALUE),
        hook: this.#hook.id,
        start,
        end: Date.now(),
        outcome,
      }));
    }
  }

  get #powers(): Capabilities {
    return this.#hook.grant.capabilities;
  }

  /** Counts a use. Returns the limit that it goes beyond, if it does. */
  #overrun(method: string, capability: AnyCapability, { counted }: Permitted): number | undefined {
    const most = capability.perMinute(this.#powers);
    if (!this.#rate(method).use(most)) return most;
    if (!counted || this.#rate(`${capability.capability}: ${counted.as}`).use(counted.perMinute)) return undefined;
    return counted.perMinute;
  }

  #rate(counted: string): RateLimit {
    const rate = this.#rates.get(counted) ?? new RateLimit();
    this.#rates.set(counted, rate);
    return rate;
  }
}

const unwritten = (method: string): string => `${method}: no power is used while the audit log cannot be written`;

const tooLate = (method: string): FailedCall["error"] => ({
  code: "NOT_GRANTED",
  message: `${method}: its power was revoked, or the hook was stopped, before it began`,
});
