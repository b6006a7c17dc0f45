import type { Dispatch } from "../../core/dispatch.ts";
import { openEvent } from "../../core/event.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { type ResultShape, unknownKeys } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { apply, define, parse, serialize } from "../../core/primordials.ts";
import type { GuestEnvironment, Handled } from "../dialect.ts";
import { piContext } from "./context.ts";
import {
  MESSAGE,
  messageResult,
  PARAMS,
  paramsResult,
  SESSION,
  sessionResult,
  TOOL_RESULT,
  toolCallResult,
  toolResultResult,
} from "./result.ts";

export type Handler = (event: unknown, context: unknown) => unknown;

/** pi's rules: the last result wins, a block or cancel ends the chain, and handlers share one event. */
export class PiChain extends HandlerChain {
  readonly #handlers: readonly Handler[];
  readonly #event: Record<string, unknown>;
  readonly #context: object;
  /** The original input of a tool call, as JSON, to find changes. */
  readonly #before: string;

  constructor(
    environment: GuestEnvironment,
    dispatch: Dispatch,
    handlers: readonly Handler[],
    done: (handled: Handled) => void,
  ) {
    super(environment, dispatch, done);
    this.#handlers = handlers;
    this.#event = openEvent(environment, dispatch);
    this.#context = piContext(environment, dispatch);
    this.#before = this.type === "tool_call" ? serialize(this.#event.input) : "";
  }

  protected override count(): number {
    return this.#handlers.length;
  }

  protected override call(at: number): unknown {
    const handler: unknown = this.#handlers[at];
    if (typeof handler !== "function") throw new TypeError("handler is not a function");
    return apply(handler, undefined, [this.#event, this.#context]);
  }

  protected override take(returned: unknown): boolean {
    if (!returned) return false;
    switch (this.type) {
      case "tool_call": {
        const result = toolCallResult(returned);
        if (result) this.verdict().result = result;
        return result?.block === true;
      }
      case "tool_result":
        this.#chain(toolResultResult(returned));
        this.#reportUnknown(returned, TOOL_RESULT);
        return false;
      case "message":
        this.#chain(messageResult(returned));
        this.#reportUnknown(returned, MESSAGE);
        return false;
      case "params":
        this.#chain(paramsResult(returned));
        this.#reportUnknown(returned, PARAMS);
        return false;
      case "session": {
        const result = sessionResult(returned);
        this.verdict().result = result;
        this.#reportUnknown(returned, SESSION);
        return result.cancel === true;
      }
      default:
        return false;
    }
  }

  /** Reports an unknown key to the hook's author. The other keys of the result still count. */
  #reportUnknown(returned: object, shape: ResultShape): void {
    const unknown = unknownKeys(returned, shape);
    if (unknown !== undefined) this.fail(failure("BAD_RESULT", unknown));
  }

  /** Merges a result into the verdict and the event, so that the next handler sees it. */
  #chain(result: object): void {
    const verdict = this.verdict();
    verdict.result = { ...(verdict.result as object), ...result };
    define(this.#event, parse(serialize(result)));
  }

  protected override finish(): void {
    if (this.type !== "tool_call") return;
    const after = serialize(this.#event.input);
    if (after !== this.#before) this.verdict().input = plainObject(after, "event.input");
  }
}
