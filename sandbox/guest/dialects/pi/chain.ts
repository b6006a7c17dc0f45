import { decisionRules, extensionEvent, fold, isFinal, seenLater } from "../../../wire/events.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import { openEvent } from "../../core/event.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { mistypedKey, unknownKeys } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { define, parse, serialize, stringify } from "../../core/primordials.ts";
import { PiContext } from "./context.ts";
import { bashResult, decisionOf } from "./decision.ts";
import { RESULTS, resultOf, TOOL_CALL, toolCallResult } from "./result.ts";

export type Handler = (event: unknown, context: unknown) => unknown;

/** pi's rules: the last result wins, a block or cancel ends the chain, and handlers share one event. */
export class PiChain extends HandlerChain<Handler> {
  private readonly event: Record<string, unknown>;
  private readonly context: object;
  /** The original input of a tool call, as JSON, to find changes. */
  private readonly before: string;

  constructor(handlers: readonly Handler[], dispatch: Dispatch) {
    super(handlers, dispatch);
    // A tool call is complete as it comes.
    const isCall = dispatch.type === "tool_call";
    this.event = isCall ? dispatch.event : openEvent(dispatch);
    this.context = new PiContext(dispatch);
    // A hook that gave all objects a `toJSON` may choose this text. Then the end of the chain refuses its decision.
    this.before = isCall ? stringify(this.event.input) : "";
  }

  protected override call(at: number): unknown {
    const handler: unknown = this.links[at];
    if (typeof handler !== "function") throw new TypeError("handler is not a function");
    const returned = handler(this.event, this.context);
    return this.dispatch.type === "user_bash" ? bashResult(returned, this.dispatch) : returned;
  }

  protected override handler(at: number): unknown {
    return this.links[at];
  }

  protected override take(returned: unknown): boolean {
    if (!returned) return false;
    const { type } = this.dispatch;
    if (type === "tool_call") {
      const result = toolCallResult(returned);
      this.hint(mistypedKey(returned, TOOL_CALL));
      if (result) this.verdict().result = result;
      if (result?.block !== true) return false;
      this.blame();
      return true;
    }
    const kind = RESULTS.get(type);
    if (!kind) return this.decide(decisionOf(type, returned));
    const result = resultOf(kind, returned);
    if (type === "session") this.verdict().result = result;
    else this.merge(result);
    // Tells the hook's author about an unknown key. The other keys of the result still count.
    const unknown = unknownKeys(returned, kind.shape);
    if (unknown !== undefined) this.fail(failure("BAD_RESULT", unknown));
    return result.cancel === true;
  }

  /** Joins a decision about an extension event with the earlier ones. Returns true if it is final. */
  private decide(decision: Record<string, unknown> | undefined): boolean {
    const { type } = this.dispatch;
    const rules = decisionRules(type);
    if (!rules || !decision) return false;
    const verdict = this.verdict();
    verdict.result = fold(rules, verdict.result as Record<string, unknown> | undefined, decision);
    define(this.event, parse(serialize(seenLater(rules, decision))));
    return isFinal(type, decision);
  }

  /** Merges a result into the verdict and the event, so that the next handler sees it. */
  private merge(result: object): void {
    const verdict = this.verdict();
    verdict.result = { ...(verdict.result as object), ...result };
    define(this.event, parse(serialize(result)));
  }

  protected override finish(): void {
    if (this.dispatch.type !== "tool_call") {
      this.takeChanges();
      return;
    }
    if (this.dispatch.asking)
      this.hint("a tool_call handler ended before its dialog was answered; is an await missing?");
    // The chain has looked that it is readable.
    const after = stringify(this.event.input);
    if (after !== this.before) this.verdict().input = plainObject(after, "event.input");
  }

  /** Handlers of some extension events change a field in place. */
  private takeChanges(): void {
    const field = extensionEvent(this.dispatch.type)?.changes;
    const before = this.dispatch.original;
    if (field === undefined || before === undefined) return;
    const after = serialize(this.event[field]);
    const decided = this.verdict().result as Record<string, unknown> | undefined;
    if (after !== before && decided?.[field] === undefined) this.decide({ [field]: parse(after) });
  }
}
