import type { Verdict } from "../../protocol.ts";
import type { GuestEnvironment, Handled } from "../dialect.ts";
import type { Dispatch } from "../dispatch.ts";
import { checkSize, MAX_TEXT } from "../limits.ts";
import { describe, failure } from "../outcome.ts";
import { apply, isArray, parse, stringify } from "../primordials.ts";
import { piContext } from "./pi-context.ts";
import { piEvent } from "./pi-event.ts";
import { sessionResult, toolCallResult, toolResultResult } from "./pi-result.ts";

export type Handler = (event: unknown, context: unknown) => unknown;

/** One event on its way through a bundle's handlers, one after the other, until one of them decides. */
export class Passage {
  readonly #environment: GuestEnvironment;
  readonly #dispatch: Dispatch;
  /** May grow meanwhile: a handler can register another. */
  readonly #handlers: readonly Handler[];
  readonly #done: (handled: Handled) => void;
  readonly #type: string;
  readonly #event: Record<string, unknown>;
  readonly #context: object;
  /** It is a tool call: its input is compared with what it was, and a handler that fails closes the gate. */
  readonly #guards: boolean;
  readonly #before: string;
  #verdict: Verdict | undefined;
  #at = 0;

  constructor(
    environment: GuestEnvironment,
    dispatch: Dispatch,
    handlers: readonly Handler[],
    done: (handled: Handled) => void,
  ) {
    this.#environment = environment;
    this.#dispatch = dispatch;
    this.#handlers = handlers;
    this.#done = done;
    this.#type = dispatch.envelope.event.type;
    this.#event = piEvent(environment, dispatch);
    this.#context = piContext(environment, dispatch);
    this.#guards = this.#type === "tool_call";
    this.#before = this.#guards ? stringify(this.#event.input) : "";
  }

  /** Calls the next handler, or ends. */
  next(): void {
    if (this.#at >= this.#handlers.length) {
      this.#end(false);
      return;
    }
    const { port } = this.#environment;
    if (this.#at > 0) port.message({ t: "next", id: this.#dispatch.id });
    const handler: unknown = this.#handlers[this.#at++];
    const failed = (thrown: unknown): void => this.#failed(thrown);
    try {
      if (typeof handler !== "function") throw new TypeError("handler is not a function");
      const returned = apply(handler as never, undefined, [this.#event, this.#context]);
      this.#dispatch.settle(returned, (value) => this.#returned(value), failed);
    } catch (thrown) {
      failed(thrown);
    }
  }

  #returned(value: unknown): void {
    let stop = this.#dispatch.cancelled;
    try {
      if (value && this.#take(value)) stop = true;
    } catch (thrown) {
      this.#failed(thrown);
      return;
    }
    if (stop) this.#end(true);
    else this.next();
  }

  #failed(thrown: unknown): void {
    const verdict = this.#verdictSoFar();
    verdict.errors = [...(verdict.errors ?? []), describe(thrown)];
    if (this.#guards || this.#dispatch.cancelled) this.#end(true);
    else this.next();
  }

  #verdictSoFar(): Verdict {
    this.#verdict ??= {};
    return this.#verdict;
  }

  /** Adds what one handler returned to the verdict. True when the rest need not run. */
  #take(returned: unknown): boolean {
    switch (this.#type) {
      case "tool_call": {
        const result = toolCallResult(returned);
        if (result) this.#verdictSoFar().result = result;
        return result?.block === true;
      }
      case "tool_result": {
        const result = toolResultResult(returned);
        const verdict = this.#verdictSoFar();
        verdict.result = { ...(verdict.result as object), ...result };
        Object.assign(this.#event, parse(stringify(result)));
        return false;
      }
      case "session": {
        const result = sessionResult(returned);
        this.#verdictSoFar().result = result;
        return result.cancel === true;
      }
      default:
        return false;
    }
  }

  #end(stop: boolean): void {
    if (this.#guards && !this.#verdict?.errors) {
      try {
        const after = stringify(this.#event.input);
        if (after !== this.#before) this.#verdictSoFar().input = plainInput(after);
      } catch (thrown) {
        this.#verdict = { errors: [describe(thrown)] };
        stop = true;
      }
    }
    this.#done({ verdict: this.#verdict ? textOf(this.#verdict) : "{}", stop });
  }
}

function plainInput(text: string | undefined): Record<string, unknown> {
  const input = text === undefined ? undefined : parse(text);
  if (typeof input !== "object" || input === null || isArray(input)) {
    throw failure("BAD_RESULT", "event.input was replaced by something that is not an object");
  }
  return input;
}

function textOf(verdict: Verdict): string {
  try {
    checkSize(verdict, "BAD_RESULT", "a result");
    const text = stringify(verdict);
    if (text.length <= MAX_TEXT) return text;
    const message = `a result of ${text.length} characters is over the limit of ${MAX_TEXT}`;
    return stringify({ errors: [{ code: "BAD_RESULT", message }] });
  } catch (thrown) {
    return stringify({ errors: [{ ...describe(thrown), code: "BAD_RESULT" }] });
  }
}
