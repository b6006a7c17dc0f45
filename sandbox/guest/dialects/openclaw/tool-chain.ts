import type { Run } from "../../../wire/registrations.ts";
import type { Dispatch, Event } from "../../core/dispatch.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import type { Registrations } from "../registrations.ts";
import { sendUpdate, toolResult } from "../tool-result.ts";

/** A run has no handlers: it calls once. */
const ONE = [undefined];

/** Runs one tool of a plugin. */
export class ToolChain extends HandlerChain {
  readonly #registrations: Registrations;

  constructor(registrations: Registrations, dispatch: Dispatch) {
    super(ONE, dispatch);
    this.#registrations = registrations;
  }

  protected override call(): unknown {
    const { dispatch } = this;
    const update = (partial: unknown): void => sendUpdate(dispatch, "tools.update", partial);
    return this.#registrations.run(
      dispatch.event as Event & Run,
      () => dispatch.abort.signal,
      () => undefined,
      update,
    );
  }

  protected override take(returned: unknown): boolean {
    this.verdict().result = toolResult(returned);
    return true;
  }
}
