import { escaped } from "../../../wire/escaped.ts";
import { extensionEvent, fold } from "../../../wire/events.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import { openEvent } from "../../core/event.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { members, mistypedKey, type ResultShape } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { apply, define, ignoreRejection, parse, serialize, settled } from "../../core/primordials.ts";
import { decisionOf } from "./decisions.ts";
import { inOrder, type PluginHook, type Shown, shown } from "./events.ts";

/** OpenClaw's text for a block without a reason. */
const DEFAULT_REASON = "Tool call blocked by plugin hook";

const BEFORE_TOOL_CALL: ResultShape = {
  event: "before_tool_call",
  // A policy may say that it allows a call, or why it does not.
  names: ["block", "blockReason", "params", "requireApproval", "allow", "reason"],
  deciding: ["block", "params", "requireApproval", "allow"],
};

/** Longest call, in characters, that a person can approve of: they see it whole, before what the plugin says of it. */
const MAX_CALL = 2000;

/** The same where each character that a dialog may show as an escape counts as six: it shows 4000. */
const MAX_ESCAPED = 3900;
const ESCAPED = "\\u0000";

/** A title that may stand above the call: one short line. */
const SHORT_TITLE = /^[^\n\r\v\f\u0085\u2028\u2029]{1,200}$/;

/** What a person is asked before the tool runs, and who is told the answer. */
interface Approval {
  readonly title: string;
  readonly description: string;
  readonly onResolution: unknown;
  readonly handler: unknown;
}

/**
 * OpenClaw's rules. For `before_tool_call`, handlers run one after the other, each on a copy of the original event. The
 * last `params` count, and a `block` ends the chain. The first approval that a handler wants is asked for once none blocks. For all
 * other events, handlers run in parallel but for those of {@link inOrder}, and their return values are ignored, but for what
 * {@link decisionOf} takes.
 */
export class OpenClawChain extends HandlerChain {
  readonly #hooks: readonly PluginHook[];
  readonly #events: readonly Shown[];
  /** The original event, as JSON. */
  readonly #original: string;
  #approval: Approval | undefined;
  #isAsking = false;

  constructor(hooks: readonly PluginHook[], dispatch: Dispatch) {
    const events = shown(openEvent(dispatch), dispatch.environment.init, dispatch.envelope.sessionFile);
    super(dispatch.type === "tool_call" ? hooks : events, dispatch);
    this.#hooks = hooks;
    this.#events = events;
    this.#original = this.dispatch.type === "tool_call" ? serialize(this.#events[0]?.event) : "";
  }

  protected override call(at: number): unknown {
    if (this.dispatch.type !== "tool_call") return this.#callAll(this.#events[at] as Shown);
    const { context } = this.#events[0] as Shown;
    return apply((this.#hooks[at] as PluginHook).handler, undefined, [parse(this.#original), context]);
  }

  protected override handler(at: number): unknown {
    return this.dispatch.type === "tool_call" ? this.#hooks[at]?.handler : undefined;
  }

  async #callAll({ hookName, event, context }: Shown): Promise<void> {
    const call = async ({ handler }: PluginHook): Promise<void> => {
      try {
        this.#decide(hookName, event, await settled(apply(handler, undefined, [event, context])));
      } catch (thrown) {
        this.fail(thrown, handler);
      }
    };
    const hooks = this.#hooks.filter((hook) => hook.hookName === hookName);
    if (inOrder(hookName)) for (const hook of hooks) await call(hook);
    else await Promise.all(hooks.map(call));
  }

  /** Joins what a handler decided with what those before it did. Later ones see it. */
  #decide(hookName: string, event: object, returned: unknown): void {
    const decision = decisionOf(hookName, returned);
    if (!decision) return;
    const { type } = this.dispatch;
    const before = this.verdict().result as Record<string, unknown> | undefined;
    const rules = extensionEvent(type);
    this.verdict().result = rules ? fold(rules, before, decision) : { ...before, ...decision };
    if (type === "tool_result") define((event as { message: object }).message, parse(serialize(decision)));
  }

  protected override take(returned: unknown): boolean {
    if (this.dispatch.type !== "tool_call" || returned === undefined || returned === null) return false;
    const { block, blockReason, params, requireApproval, allow, reason } = members(returned, BEFORE_TOOL_CALL);
    this.hint(mistypedKey(returned, BEFORE_TOOL_CALL));
    if (requireApproval !== undefined && requireApproval !== null)
      this.#approval ??= approvalOf(requireApproval, this.asked);
    if (params !== undefined && params !== null) {
      const input = plainObject(serialize(params), "params");
      const before = (parse(this.#original) as { params: unknown }).params;
      if (serialize(input) === serialize(before)) delete this.verdict().input;
      else this.verdict().input = input;
    }
    if (!block && allow !== false) return false;
    const why = [blockReason, reason].find((text) => typeof text === "string" && text !== "");
    this.verdict().result = { block: true, reason: typeof why === "string" ? why : DEFAULT_REASON };
    this.blame();
    return true;
  }

  protected override end(stop: boolean): void {
    const approval = this.#approval;
    if (stop || !approval || this.dispatch.cancelled) {
      super.end(stop);
      return;
    }
    const { environment, id } = this.dispatch;
    const { toolName, params } = parse(this.#original) as { toolName: string; params: unknown };
    // As handlers left it. A dialog leaves what is not seen out of a hook's own words.
    const call = `${toolName}: ${serialize(this.verdict().input ?? params)}`.replace(unseen(), escaped);
    if (call.length > MAX_CALL || call.replace(/[^ -~]/g, ESCAPED).length > MAX_ESCAPED) {
      this.#deny(`the call is too long to be shown to a person: ${call.length} characters`);
      super.end(true);
      return;
    }
    this.#isAsking = true;
    const { title, description } = approval;
    const isShort = SHORT_TITLE.test(title);
    const text = [call, ...(isShort ? [] : [title]), description].join("\n\n");
    this.wait(environment.remote.call("ui.confirm", id, [isShort ? title : "Run this call?", text]));
  }

  #deny(why: string): void {
    this.verdict().result = { block: true, reason: `${this.#approval?.title}: ${why}` };
  }

  override returned(value: unknown, turn: number): void {
    if (this.#isAsking && turn === this.turn) this.#answered(value === true);
    else super.returned(value, turn);
  }

  override failed(thrown: unknown, turn: number): void {
    if (!this.#isAsking || turn !== this.turn) {
      super.failed(thrown, turn);
      return;
    }
    this.turn++;
    this.fail(thrown, this.#approval?.handler);
    // Also where a failure would let the call pass: nobody was asked.
    this.#deny("not approved");
    super.end(true);
  }

  /** Whoever leaves the question denies the call. */
  #answered(allowed: boolean): void {
    this.turn++;
    const { handler, onResolution } = this.#approval as Approval;
    if (!allowed) this.#deny("not approved");
    else if (this.verdict().input) this.verdict().approved = true;
    try {
      if (typeof onResolution === "function")
        ignoreRejection(apply(onResolution, undefined, [allowed ? "allow-once" : "deny"]));
    } catch (thrown) {
      this.fail(thrown, handler);
    }
    super.end(!allowed);
  }
}

/** Texts that a dialog can show. */
function approvalOf(wanted: unknown, handler: unknown): Approval {
  const { title, description, onResolution } = Object(wanted) as Record<string, unknown>;
  if (typeof title !== "string" || typeof description !== "string")
    throw failure("BAD_RESULT", "requireApproval needs a title and a description");
  return { title, description, onResolution, handler };
}

/** What is not seen. V8 reads an expression with Unicode's properties in a tenth of a millisecond, and few hooks need this one. */
const unseen = (): RegExp => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
