import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import type { RegistrationKind } from "../../sandbox/wire/registrations.ts";
import { Audit } from "../audit/audit.ts";
import { Blocks, type KeptBlock } from "../audit/blocks.ts";
import { AuditExport } from "../audit/export.ts";
import type { Timed } from "../audit/exported.ts";
import type { AuditFact, AuditLine } from "../audit/line.ts";
import { AuditQuota } from "../audit/quota.ts";
import { attemptOr } from "../base/attempt.ts";
import { type ErrorCode, messageOf } from "../base/errors.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import { positionIn } from "../bundle/source-positions.ts";
import { forbiddenBy, hookForbiddenBy, type PolicyInForce } from "../grants/policy.ts";
import type { Limits } from "../grants/schema.ts";
import type { Wanted } from "../grants/wanted.ts";
import type { Failure, Outcome } from "../supervisor/outcome.ts";
import { codeOf } from "./failure-text.ts";
import type { Hook } from "./hook.ts";
import { type HookError, isRefusal, type Refusal } from "./hook-error.ts";
import { lackedLimit } from "./lacked-limit.ts";
import type { LogLine } from "./log-line.ts";
import { logText } from "./log-line.ts";
import { powerFor } from "./registrations.ts";
import { grantRemedy, wantedFact } from "./remedies.ts";

/** A right of the `events` power that a hook was not granted. `tool`: for rights that are granted for single tools. */
export interface DeniedRight {
  right: string;
  tool?: string;
}

/** An error of a hook, as it is reported. */
export interface Reported {
  code: ErrorCode;
  message: string;
  stack?: string;
  wanted?: Wanted;
}

/** Listeners of the embedding agent. */
interface Listeners {
  log?: ((line: LogLine) => void) | undefined;
  onAudit?: ((line: AuditLine) => void) | undefined;
  onRefused?: ((refusal: Refusal) => void) | undefined;
  monitor?: (() => boolean) | undefined;
  trial?: boolean | "alone" | undefined;
  policies: readonly PolicyInForce[];
  /** The environment of the session, which may switch OpenTelemetry on. */
  env: NodeJS.ProcessEnv;
}

/** Longest texts of a reported error. */
const MAX_MESSAGE = 4000;
const MAX_STACK = 8000;

/** Offers of one hook that are told as refused: it may try any number. */
const MAX_REFUSED_OFFERS = 100;

/** Reports to the agent and the audit. Errors of listeners never reach the caller. */
export class Reporter {
  readonly #log: ((line: LogLine) => void) | undefined;
  readonly #onRefused: ((refusal: Refusal) => void) | undefined;
  readonly #monitor: (() => boolean) | undefined;
  readonly #policies: readonly PolicyInForce[];
  readonly #audit: Audit;
  readonly #quota: AuditQuota;
  readonly #blocks: Blocks;
  /** Set if OpenTelemetry is on. */
  readonly #export: AuditExport | undefined;
  readonly #lostBefore: number;
  readonly #deaf: (() => void) | undefined;
  readonly #listeners = new Set<(error: HookError) => void>();
  #isOver = false;
  readonly #refused = new Set<string>();
  /** How many offers of each hook were refused, and told. */
  readonly #refusedOffers = new Map<string, number>();
  /** Refusals that were reported, by hook and message. */
  readonly #reported = new Set<string>();

  constructor(home: string, options: Listeners) {
    this.#log = options.log;
    this.#onRefused = options.onRefused;
    const { onAudit } = options;
    const exported = AuditExport.open(options.env);
    this.#export = exported;
    this.#lostBefore = exported?.loss.count ?? 0;
    const text = "OpenTelemetry: some of the audit could not be sent";
    this.#deaf = exported?.onLoss(({ why }) => this.log({ level: "warn", text: `${text}: ${why}` }));
    const told = onAudit || exported;
    const listener =
      told &&
      ((line: AuditLine): void => {
        exported?.add({ line });
        if (onAudit) this.tell(() => onAudit(line));
      });
    this.#monitor = options.monitor;
    this.#policies = options.policies;
    this.#audit = new Audit(home, {
      listener,
      monitor: () => this.isMonitoring,
      trial: Boolean(options.trial),
      report: (text) => this.log({ level: "error", text }),
    });
    // A trial blocks no work of a person's.
    this.#blocks = new Blocks(options.trial ? undefined : home);
    this.#quota = new AuditQuota((...facts) => this.#audit.write(...facts));
  }

  /** Whether hooks only monitor now. An answer that cannot be had is a no. */
  get isMonitoring(): boolean {
    const monitor = this.#monitor;
    return monitor !== undefined && attemptOr(() => monitor() === true, false);
  }

  /** The host is closed: what hooks leave undone from now on is no failure of theirs. */
  end(): void {
    this.#isOver = true;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  onError(listener: (error: HookError) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** False if it could not be written. */
  audit(fact: AuditFact): boolean {
    if (fact.capability !== undefined && isRefusal(fact.outcome)) {
      this.#quota.refused(fact);
      return true;
    }
    return this.#audit.write(fact);
  }

  /** Audits what a person decided for longer than this session. False if it could not be written. */
  decided(...facts: readonly AuditFact[]): boolean {
    return this.#audit.writeLasting(...facts);
  }

  /** Keeps why a call was blocked. */
  blocked(block: KeptBlock): void {
    this.#blocks.keep(block);
  }

  /** The last call that was blocked in this session. */
  get lastBlock(): KeptBlock | undefined {
    return this.#blocks.last;
  }

  /** Audits that hooks let an event pass. `value`: the name of what it is about. */
  passed(hooks: readonly Hook[], event: string, value: string): void {
    if (hooks.length > 0)
      this.#audit.write(...hooks.map(({ id: hook }): AuditFact => ({ hook, event, value, outcome: "pass" })));
  }

  /** Whether OpenTelemetry hears of what hooks do. */
  get isExported(): boolean {
    return this.#export !== undefined;
  }

  /** Tells OpenTelemetry about work of hooks. `timed` is called only if that is on. */
  timed(timed: () => Timed): void {
    const exported = this.#export;
    // An agent may give any values: those that cannot be told keep no verdict back.
    if (exported) attemptOr(() => exported.add({ timed: timed() }), undefined);
  }

  /** Resolves when what can be exported soon is exported. */
  async close(): Promise<void> {
    this.#quota.close();
    const exported = this.#export;
    await exported?.close();
    this.#deaf?.();
    const lost = exported ? exported.loss.count - this.#lostBefore : 0;
    const value = `${lost} lines and spans of this process: ${exported?.loss.why}`;
    if (lost > 0) this.#audit.write({ hook: "", event: "telemetry", value, outcome: "lost" });
    this.#audit.close();
  }

  log(line: LogLine): void {
    const log = this.#log;
    if (log) {
      this.tell(() => log(line));
      return;
    }
    process.stderr.write(`cordon: ${logText(line)}\n`);
  }

  report(hook: Hook, event: string, error: Reported): void {
    const stack = error.stack && hook.positions ? hook.positions.translate(error.stack) : error.stack;
    const told: HookError = {
      hookPath: hook.path,
      event,
      error: cleanText(error.message, MAX_MESSAGE),
      code: error.code,
      ...(stack ? { stack: cleanText(stack, MAX_STACK) } : {}),
      ...(error.wanted ? { wanted: error.wanted } : {}),
    };
    if (this.#listeners.size === 0) {
      const at = told.stack === undefined ? undefined : positionIn(told.stack);
      const text = `${event}: ${told.error} (${told.code})`;
      this.log({ level: "error", hook: hook.id, text, ...(at === undefined ? {} : { at }) });
    }
    for (const listener of this.#listeners) this.tell(() => listener(told));
    const limits = lackedLimit(hook, error);
    if (limits) this.#refuseLimit(hook, event, limits);
  }

  /** Reports the use of a power that was not granted. `quiet`: many programs probe for it and work without, so it is no error. */
  refused(hook: Hook, event: string, error: Reported, quiet: boolean): void {
    const listener = this.#onRefused;
    if (listener)
      this.tell(() =>
        listener({ hook: hook.id, message: error.message, ...(error.wanted ? { wanted: error.wanted } : {}) }),
      );
    if (quiet) return;
    this.#reported.add(`${hook.id} ${error.message}`);
    this.report(hook, event, error);
  }

  /** Reports the errors of an outcome. */
  reportOutcome(hook: Hook, event: string, outcome: Outcome): void {
    if ("failure" in outcome) {
      const { code, summary: message, stack } = outcome.failure;
      this.report(hook, event, { code, message, ...(stack === undefined ? {} : { stack }) });
      return;
    }
    for (const error of outcome.verdict.errors ?? []) {
      const code = codeOf(error);
      // A refusal that a handler lets through was reported when it happened, with the grant that would allow it. Later events,
      // in which the same refusal is not reported again, end with an error of their own.
      if (code !== "NOT_GRANTED" || !this.#reported.delete(`${hook.id} ${error.message}`))
        this.report(hook, event, { ...error, code });
    }
  }

  /** Audits that a hook was loaded, with the file of one that a program named by an id; or with its failure why it was not. */
  loaded({ id, realPath, digest, trusted, origin }: Hook, outcome: string, failure?: Failure): void {
    const entry = origin.kind === "installed" ? origin.entry : undefined;
    const isForbidden = failure?.code === "NOT_ACCEPTED";
    const policy = isForbidden ? hookForbiddenBy(this.#policies, { trusted, entry }) : undefined;
    const file = origin.kind === "option" && realPath !== id ? { value: realPath } : undefined;
    const why = failure && { value: failure.summary, ...(policy === undefined ? {} : { policy }), code: failure.code };
    this.#audit.write({ hook: id, ...(digest ? { digest } : {}), event: "load", ...(why ?? file), outcome });
  }

  /** Reports why a hook is down. */
  reportFailure(hook: Hook): void {
    const { failure } = hook;
    if (!failure) return;
    const { code, summary: message, stack } = failure;
    this.report(hook, "load", { code, message, ...(stack ? { stack } : {}) });
  }

  /** Reports a hook's decision that was dropped because its grant does not cover it. Each is audited, and reported once. */
  refuse(hook: Hook, event: string, { right, tool }: DeniedRight, dropped: string): void {
    const power = `events.${right}${tool === undefined ? "" : ` for ${tool}`}`;
    // Not counted against the hook: the agent decides how often it asks.
    const wanted = { capability: "events", grant: { [right]: tool === undefined ? true : [tool] } };
    this.#audit.write({
      ...{ hook: hook.id, event, capability: power },
      ...wantedFact(hook, wanted),
      outcome: "NOT_GRANTED",
    });
    const key = `${hook.id} ${power}`;
    if (this.#refused.has(key)) return;
    this.#refused.add(key);
    const remedy = grantRemedy(hook, wanted);
    const message = `hook ${hook.name} was not granted ${power}: ${dropped}; ${remedy}`;
    this.refused(hook, event, { code: "NOT_GRANTED", message, wanted }, false);
  }

  /** Reports a tool, command or shortcut of a hook that its grant does not let it offer, once. */
  refuseOffer(hook: Hook, kind: RegistrationKind, name: string): void {
    const { message, wanted, policy } = this.notOffered(hook, kind, name);
    const { capability } = wanted;
    const shown = cleanLine(name, MAX_NAME);
    const key = `${hook.id} ${capability} ${shown}`;
    if (this.#refused.has(key)) return;
    const count = (this.#refusedOffers.get(hook.id) ?? 0) + 1;
    if (count > MAX_REFUSED_OFFERS) return;
    this.#refusedOffers.set(hook.id, count);
    this.#refused.add(key);
    const by = { ...(policy === undefined ? {} : { policy }), ...wantedFact(hook, wanted) };
    this.#audit.write({ hook: hook.id, event: "load", capability, value: shown, ...by, outcome: "NOT_GRANTED" });
    this.refused(hook, "load", { code: "NOT_GRANTED", message, wanted }, false);
  }

  /** Why a hook may not offer something, and what would allow it. `policy`: the file that forbids it. */
  notOffered(hook: Hook, kind: RegistrationKind, name: string): { message: string; wanted: Wanted; policy?: string } {
    const wanted = powerFor(kind, name);
    const policy = forbiddenBy(this.#policies, wanted.capability, wanted.grant);
    const shown = cleanLine(name, MAX_NAME);
    const message = `hook ${hook.name} was not granted ${wanted.capability} for ${shown}: its ${kind} is not offered; ${grantRemedy(hook, wanted, policy !== undefined)}`;
    return { message, wanted, ...(policy === undefined ? {} : { policy }) };
  }

  /** Reports a limit that a hook failed by and that a person could lift, once. */
  #refuseLimit(hook: Hook, event: string, limits: Limits): void {
    const named = Object.keys(limits)
      .map((name) => `limits.${name}`)
      .join(", ");
    const key = `${hook.id} ${named}`;
    if (this.#refused.has(key)) return;
    this.#refused.add(key);
    const wanted = { capability: "limits", grant: limits };
    this.#audit.write({
      ...{ hook: hook.id, event, capability: "limits", value: named },
      ...wantedFact(hook, wanted),
      outcome: "NOT_GRANTED",
    });
    const message = `hook ${hook.name} was not granted ${named}; ${grantRemedy(hook, wanted)}`;
    this.refused(hook, event, { code: "NOT_GRANTED", message, wanted }, false);
  }

  /** Calls a listener of the agent's. An error of it is printed and otherwise ignored: a frame may be being read. */
  tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      process.stderr.write(`cordon: a listener threw: ${messageOf(error)}\n`);
    }
  }
}
