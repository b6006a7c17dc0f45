import { EVENT_NAMES, SESSION_REASONS } from "../../sandbox/wire/events.ts";
import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { didYouMean } from "../base/near-names.ts";
import { cleanLine } from "../base/text.ts";
import { type PolicyInForce, requiredHooks } from "../grants/policy.ts";
import type { HookEvent, ToolCallEvent, ToolResultEvent } from "../hook-api.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { Decisions } from "../session/decisions.ts";
import { type Lacking, lackingRequired, lackText } from "../session/required.ts";
import type { Blocked } from "../verdicts/blocked.ts";
import type { EventResult } from "../verdicts/event-result.ts";
import { passExchange } from "../verdicts/exchange.ts";
import type { HostInside } from "../verdicts/host-inside.ts";
import { passEvent } from "../verdicts/pass-event.ts";
import { announceSession, beginUnannounced, isUntold, keepSession, whenTold } from "../verdicts/session.ts";
import { blockItself, type JudgeOptions, judgeToolCall, type ToolCallOutcome } from "../verdicts/tool-call.ts";
import { passToolResult, type ToolResultOutcome } from "../verdicts/tool-result.ts";
import { judgeUntilAborted } from "../verdicts/until-aborted.ts";
import { timing } from "./timing.ts";
import type { ToolNames } from "./tool-names.ts";

interface EventsOptions {
  readonly inside: HostInside;
  readonly names: ToolNames;
  readonly policies: readonly PolicyInForce[];
  /** Hooks that a policy requires have to be in the session. */
  readonly isWhole: boolean;
  /** The session looks for hooks, beside those that it is given. */
  readonly looks: boolean;
  readonly decisions: Decisions;
  readonly recorder: Recorder | undefined;
}

/** Longest text of why a call could not be judged. */
const MAX_REASON = 2000;

const CLOSED = "the hook host is closed";

/** Stands for a call that says no tool. */
const NAMELESS: ToolCallEvent = { type: "tool_call", toolName: "", toolCallId: "", input: {} };

type ToolEvents = { tool_call: ToolCallEvent; tool_result: ToolResultEvent };

/** What hooks judge of an event about a tool. */
const MEMBERS = {
  tool_call: ["type", "toolName", "toolCallId", "input"],
  tool_result: ["type", "toolName", "toolCallId", "input", "content", "details", "isError", "structuredContent"],
} as const;

/**
 * The event with these members as its own, each read once: hooks would be shown an event without those of a class, and any other one that
 * a `toJSON` makes of it.
 */
function owned<Type extends keyof ToolEvents>(event: ToolEvents[Type], type: Type): ToolEvents[Type] {
  const given = Object(event) as Record<string, unknown>;
  // As fast as can be: a rest pattern takes 10 µs of a call whose code is in no cache.
  const own = { ...given };
  if (own.toJSON !== undefined) delete own.toJSON;
  for (const name of MEMBERS[type]) if (own[name] === undefined) own[name] = given[name];
  return own as unknown as ToolEvents[Type];
}

/** Why an event about a tool cannot be shown to hooks, if so: agents in plain JavaScript have no types that would tell them. */
function toolFault({ type: said, toolName }: { type: unknown; toolName: unknown }, type: string): string | undefined {
  if (said !== type) return `the type of the event is not ${type}: ${cleanLine(String(said), MAX_NAME)}`;
  if (typeof toolName !== "string" || toolName === "") return `the ${type} has no toolName`;
  return undefined;
}

/** Why hooks could take nothing out of the content of a result, if so. */
function contentFault({ content }: { content: unknown }): string | undefined {
  if (!Array.isArray(content)) return "the content of the tool_result is no list of parts";
  const wrong = content.findIndex((part) => !isPart(part));
  return wrong < 0
    ? undefined
    : `part ${wrong} of the tool_result's content must be an object with a type: a text with its text, an image with its data and mimeType`;
}

function isPart(part: unknown): boolean {
  const { type, text, data, mimeType } = Object(part) as Record<string, unknown>;
  if (type === "text") return typeof text === "string";
  if (type === "image") return typeof data === "string" && typeof mimeType === "string";
  return typeof type === "string";
}

/** The agent's events on their way to the hooks: named as hooks know them, recorded, timed, and passed on if any hook hears them. */
export class Events {
  readonly #inside: HostInside;
  readonly #names: ToolNames;
  readonly #policies: readonly PolicyInForce[];
  readonly #decisions: Decisions;
  readonly #recorder: Recorder | undefined;
  /** Without these hooks, no tool call passes. */
  readonly #isRequiring: boolean;
  readonly #looks: boolean;
  #isClosed = false;

  constructor({ inside, names, policies, isWhole, looks, decisions, recorder }: EventsOptions) {
    this.#inside = inside;
    this.#names = names;
    this.#policies = policies;
    this.#decisions = decisions;
    this.#recorder = recorder;
    this.#looks = looks;
    this.#isRequiring = isWhole && requiredHooks(policies.map(({ policy }) => policy)).length > 0;
  }

  /** From now on, every tool call is blocked, and no result passes that a hook would see. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether any hook hears events of this type, or they are recorded. */
  isWanted(type: string): boolean {
    // A recording is of all events, whoever hears them today.
    return (this.#recorder?.state !== undefined && EVENT_NAMES.includes(type)) || this.#isHeard(type);
  }

  #isHeard(type: string): boolean {
    const { hooks } = this.#inside;
    if (isUntold(this.#inside, type)) return true;
    if (type === "tool_call")
      return (
        this.#isRequiring || hooks.some((hook) => hook.state !== "pending" && (hook.guardsCalls || hook.observesCalls))
      );
    if (hooks.some((hook) => hook.state !== "pending" && hook.guardsPerson(type))) return true;
    const isGuarded =
      type === "tool_result" &&
      hooks.some((hook) => hook.isOutFor("tool_result") && hook.grant.capabilities.events?.guardResult?.length);
    return isGuarded || hooks.some((hook) => hook.handles(type));
  }

  /** Passes any event to the hooks. Rejects with `BAD_GRANT` for one that does not exist. */
  async emit(given: HookEvent): Promise<EventResult | undefined> {
    const { type } = Object(given) as { type: unknown };
    if (typeof type !== "string") throw new CordonError("BAD_GRANT", "an event must be an object with a type, a text");
    if (!EVENT_NAMES.includes(type))
      throw new CordonError(
        "BAD_GRANT",
        `there is no event ${cleanLine(type, MAX_NAME)}${didYouMean(type, EVENT_NAMES)}`,
      );
    if (given.type === "session" && !SESSION_REASONS.includes(given.reason))
      throw new CordonError(
        "BAD_GRANT",
        `there is no session event with the reason ${cleanLine(String(given.reason), MAX_NAME)}${didYouMean(String(given.reason), SESSION_REASONS)}`,
      );
    const event = given.type === "tool_call" || given.type === "tool_result" ? given : this.#names.heard(given);
    if (event.type === "tool_call") return this.emitToolCall(event);
    if (event.type === "tool_result") return (await this.emitToolResult(event)).result;
    const recorded = this.#recorder?.begin(event);
    const result = await this.#pass(event);
    recorded?.(result);
    return result;
  }

  /** Asks the hooks about a tool call. Never rejects: a call that cannot be judged is blocked. */
  async emitToolCall(event: ToolCallEvent, given: JudgeOptions = {}): Promise<ToolCallOutcome> {
    try {
      return await this.#call(owned(event, "tool_call"), given ?? {});
    } catch (error) {
      return blockItself(this.#inside, NAMELESS, cleanLine(messageOf(error), MAX_REASON));
    }
  }

  async #call(event: ToolCallEvent, given: JudgeOptions): Promise<ToolCallOutcome> {
    const fault = toolFault(event, "tool_call");
    if (fault !== undefined) return blockItself(this.#inside, NAMELESS, fault);
    const heard = this.#names.heard(event);
    const recorded = this.#recorder?.begin(heard);
    beginUnannounced(this.#inside, "tool_call");
    // One that is required may register its guard as it hears of the session.
    if (this.#isRequiring) await whenTold(this.#inside);
    let outcome: ToolCallOutcome = this.#barred(heard);
    if (!outcome && this.#isHeard("tool_call")) {
      const timed = timing(heard, this.#inside.reporter);
      outcome = await this.#judge(heard, given);
      timed?.(outcome);
    }
    recorded?.(outcome);
    return this.#names.told(outcome);
  }

  /**
   * Passes a tool's result to the hooks. Rejects any other event with `BAD_GRANT`, since hooks that guard results would not see
   * it, and with `CRASHED` once the host is closed.
   */
  async emitToolResult(given: ToolResultEvent): Promise<ToolResultOutcome> {
    const event = owned(given, "tool_result");
    const fault = toolFault(event, "tool_result") ?? contentFault(event);
    if (fault !== undefined) throw new CordonError("BAD_GRANT", fault);
    const heard = this.#names.heard(event);
    const recorded = this.#recorder?.begin(heard);
    const outcome = await this.#passResult(heard);
    recorded?.(outcome.result);
    return outcome;
  }

  async #pass(event: Exclude<HookEvent, ToolCallEvent | ToolResultEvent>): Promise<EventResult | undefined> {
    if (event.type === "session") keepSession(this.#inside, event);
    else beginUnannounced(this.#inside, event.type);
    if (!this.#isHeard(event.type)) return undefined;
    const timed = timing(event, this.#inside.reporter);
    const result = await this.#tell(event);
    timed?.(result);
    return result;
  }

  async #tell(event: Exclude<HookEvent, ToolCallEvent | ToolResultEvent>): Promise<EventResult | undefined> {
    await this.#whenStarted();
    this.#decisions.noticeRevoked();
    if (event.type === "session") return announceSession(this.#inside, event);
    await whenTold(this.#inside);
    if (event.type === "message" || event.type === "params") return passExchange(this.#inside, event);
    return passEvent(this.#inside, event);
  }

  /** The block of a call that no hook need be asked about. */
  #barred(event: ToolCallEvent): Blocked | undefined {
    if (this.#isClosed) return { block: true, reason: CLOSED, hook: "" };
    if (!this.#isRequiring) return undefined;
    const lacking = this.#lacking();
    const [first] = lacking;
    return first && blockItself(this.#inside, event, lackText(lacking), this.#requirer(first));
  }

  #judge(event: ToolCallEvent, given: JudgeOptions): Promise<ToolCallOutcome> {
    this.#decisions.noticeRevoked();
    const { signal, canRun } = given;
    const options = { ...given, canRun: canRun && this.#names.canRun(canRun) };
    return signal
      ? judgeUntilAborted(this.#inside, event, signal, options)
      : judgeToolCall(this.#inside, event, options);
  }

  /** The required hooks without which no call may pass. */
  #lacking(): Lacking[] {
    const candidates = this.#inside.hooks.map(({ id, origin, guardsCalls, state, failure, disabled, grant }) => ({
      ...{ id, origin, state, disabled, capabilities: grant.capabilities },
      ...{ judges: guardsCalls, reason: failure?.summary },
    }));
    return lackingRequired(
      this.#policies.map(({ policy }) => policy),
      candidates,
      this.#looks,
    );
  }

  /** The file of the policy that requires a hook. */
  #requirer({ id }: Lacking): string | undefined {
    return this.#policies.find(({ policy }) => policy.required?.includes(id))?.path;
  }

  async #passResult(event: ToolResultEvent): Promise<ToolResultOutcome> {
    beginUnannounced(this.#inside, "tool_result");
    if (!this.#isHeard("tool_result")) return { result: undefined, changedBy: [] };
    if (this.#isClosed) throw new CordonError("CRASHED", CLOSED);
    const timed = timing(event, this.#inside.reporter);
    await this.#whenStarted();
    this.#decisions.noticeRevoked();
    await whenTold(this.#inside);
    const outcome = await passToolResult(this.#inside, event);
    timed?.(outcome);
    return outcome;
  }

  /** Waits for hooks that are being restarted. */
  async #whenStarted(): Promise<void> {
    const { hooks } = this.#inside;
    await Promise.all(hooks.filter((hook) => hook.state === "starting").map((hook) => hook.whenStarted()));
  }
}
