import type { Dispatch } from "../../core/dispatch.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { checkNames, type ResultShape } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { apply, forHook, isArray, parse, serialize } from "../../core/primordials.ts";
import { normalizeToolName } from "../../interceptors/registry.ts";
import { reconciled, textOf, withOutput } from "../../interceptors/result-text.ts";
import { DEFAULT_BLOCK_REASON } from "../../interceptors/trigger.ts";
import type {
  AgentToolResult,
  AnyRegistration,
  MessageBeforeOutput,
  ParamsBeforeOutput,
  ToolAfterOutput,
  ToolBeforeOutput,
} from "../../interceptors/types.ts";
import { known } from "../known.ts";

const OUTPUT: ResultShape = { event: "tool.before", names: ["args", "block", "blockReason"], deciding: ["block"] };
const RETURNED: ResultShape = { event: "tool.before", names: [], deciding: ["block"], sets: "output.block" };

type Output = ToolBeforeOutput | ToolAfterOutput | MessageBeforeOutput | ParamsBeforeOutput;

/**
 * The rules of interceptors: all of them run on one output object, which each may change. Its state at the end counts.
 */
export class InterceptorChain extends HandlerChain<AnyRegistration> {
  readonly #input: object;
  readonly #output: Output;
  readonly #before: string;
  /** All text of a tool's result, and the JSON of the result, after the handlers so far. */
  #text: string | undefined;
  #reconciled = "";

  constructor(registrations: readonly AnyRegistration[], dispatch: Dispatch) {
    super(registrations, dispatch);
    const [input, output] = shown(this.dispatch.event);
    this.#input = Object.freeze(forHook(input));
    // An object of the runtime's realm: no setter of the hook can swallow a `block`.
    this.#output = output;
    this.#before = serialize(output);
    if (this.dispatch.type === "tool_result") {
      const { result } = output as ToolAfterOutput;
      this.#text = result.output;
      this.#reconciled = serialize(result);
    }
  }

  protected override call(at: number): unknown {
    const registration = this.links[at] as AnyRegistration;
    return apply(registration.handler, registration, [this.#input, this.#output]);
  }

  protected override handler(at: number): unknown {
    return this.links[at]?.handler;
  }

  protected override take(returned: unknown): boolean {
    if (this.dispatch.type === "tool_result") this.#reconcileText();
    // Return values are ignored. An interceptor that returns a block made a mistake: it must set it.
    if (this.dispatch.type !== "tool_call") return false;
    if ((this.#output as ToolBeforeOutput).block) this.blame();
    else checkNames(returned, RETURNED);
    return false;
  }

  #reconcileText(): void {
    const holder = this.#output as ToolAfterOutput;
    const { result } = holder;
    try {
      if (typeof result !== "object" || result === null || !isArray(result.content))
        throw new TypeError("output.result was replaced by something that is not a tool result");
      holder.result = reconciled(result, this.#text);
    } catch (error) {
      // The changes of the handlers before it stay.
      holder.result = parse(this.#reconciled);
      throw failure("BAD_RESULT", (error as Error).message);
    }
    this.#reconciled = serialize(holder.result);
    this.#text = textOf(holder.result.content);
  }

  protected override finish(): void {
    const before = parse(this.#before);
    switch (this.dispatch.type) {
      case "tool_call": {
        const { args, block, blockReason } = this.#output as ToolBeforeOutput;
        checkNames(this.#output, OUTPUT);
        if (blockReason !== undefined && block === undefined)
          throw failure("BAD_RESULT", "a tool.before handler left a blockReason without block, which decides nothing");
        if (block) {
          const reason = typeof blockReason === "string" && blockReason !== "" ? blockReason : DEFAULT_BLOCK_REASON;
          this.verdict().result = { block: true, reason };
        }
        const after = serialize(args);
        if (after !== serialize(before.args)) this.verdict().input = plainObject(after, "output.args");
        return;
      }
      case "tool_result": {
        // A handler may have changed it before it failed.
        this.#reconcileText();
        const after = parse(serialize((this.#output as ToolAfterOutput).result));
        const { content } = after;
        // If a result has no details, agents keep those of the tool.
        const details = after.details === undefined && before.result.details !== undefined ? {} : after.details;
        this.#decide({
          ...(serialize(content) === serialize(before.result.content) ? {} : { content }),
          ...(serialize(details) === serialize(before.result.details) ? {} : { details }),
        });
        return;
      }
      case "message": {
        const { message, metadata } = this.#output as MessageBeforeOutput;
        if (typeof message !== "string")
          throw failure("BAD_RESULT", "output.message was replaced by something that is not a text");
        const tags = serialize(metadata);
        this.#decide({
          ...(message === before.message ? {} : { text: message }),
          ...(tags === serialize(before.metadata) ? {} : { metadata: plainObject(tags, "output.metadata") }),
        });
        return;
      }
      default: {
        const result: Record<string, unknown> = {};
        for (const level of ["thinkLevel", "reasoningLevel"] as const) {
          const value: unknown = (this.#output as ParamsBeforeOutput)[level];
          if (value === undefined || value === before[level]) continue;
          if (typeof value !== "string") throw failure("BAD_RESULT", `output.${level} is not a text`);
          result[level] = value;
        }
        this.#decide(result);
      }
    }
  }

  /** An empty result decides nothing. */
  #decide(result: object): void {
    if (Object.keys(result).length > 0) this.verdict().result = result;
  }
}

/** Converts a canonical event for interceptors: `input` is read-only, `output` may be changed. */
function shown(event: { type: string; [field: string]: unknown }): [input: object, output: Output] {
  const origin = { agentId: String(event.agentId ?? ""), ...known({ sessionKey: event.sessionKey }) };
  const tool = { toolName: normalizeToolName(String(event.toolName)), toolCallId: event.toolCallId };
  switch (event.type) {
    case "tool_call":
      return [tool, { args: event.input as ToolBeforeOutput["args"] }];
    case "tool_result": {
      const { content, details } = event as typeof event & AgentToolResult;
      return [{ ...tool, isError: event.isError === true }, { result: withOutput({ content, details }) }];
    }
    case "message":
      return [
        { ...origin, provider: String(event.provider ?? ""), model: String(event.model ?? "") },
        { message: String(event.text), metadata: event.metadata as MessageBeforeOutput["metadata"] },
      ];
    default: {
      const { provider, model, thinkLevel, reasoningLevel, temperature } = event as typeof event & ParamsBeforeOutput;
      return [
        { ...origin, message: String(event.message ?? ""), metadata: event.metadata },
        { provider, model, ...known({ thinkLevel, reasoningLevel, temperature }) },
      ];
    }
  }
}
