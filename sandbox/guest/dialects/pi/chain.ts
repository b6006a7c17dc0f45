import { openEvent } from "../../core/event.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { unknownKeys } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { apply, define, parse, serialize } from "../../core/primordials.ts";
import type { ChainEvent } from "../dialect.ts";
import { piContext } from "./context.ts";
import { RESULTS, resultOf, toolCallResult } from "./result.ts";

export type Handler = (event: unknown, context: unknown) => unknown;

/** pi's rules: the last result wins, a block or cancel ends the chain, and handlers share one event. */
export class PiChain extends HandlerChain {
  readonly #handlers: readonly Handler[];
  readonly #event: Record<string, unknown>;
  readonly #context: object;
  /** The original input of a tool call, as JSON, to find changes. */
  readonly #before: string;

  constructor(handlers: readonly Handler[], ...event: ChainEvent) {
    super(...event);
    const [environment, dispatch] = event;
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
    if (this.type === "tool_call") {
      const result = toolCallResult(returned);
      if (result) this.verdict().result = result;
      return result?.block === true;
    }
    const kind = RESULTS.get(this.type);
    if (!kind) return false;
    const result = resultOf(kind, returned);
    if (this.type === "session") this.verdict().result = result;
    else this.#chain(result);
    // Tells the hook's author about an unknown key. The other keys of the result still count.
    const unknown = unknownKeys(returned, kind.shape);
    if (unknown !== undefined) this.fail(failure("BAD_RESULT", unknown));
    return result.cancel === true;
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
