import type { Run } from "../../../wire/registrations.ts";
import type { Dispatch, Event } from "../../core/dispatch.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { apply, settled } from "../../core/primordials.ts";
import type { Definition, Registrations } from "../registrations.ts";
import { sendUpdate, toolResult } from "../tool-result.ts";
import { commandContext, replyText } from "./commands.ts";

/** A run has no handlers: it calls once. */
const ONE = [undefined];

/** Runs one tool or one command of a plugin. */
export class RunChain extends HandlerChain {
  readonly #registrations: Registrations;
  readonly #config: object;
  readonly #run: Run;

  /** `config`: what plugins see of OpenClaw's configuration. */
  constructor(registrations: Registrations, config: object, dispatch: Dispatch) {
    super(ONE, dispatch);
    this.#registrations = registrations;
    this.#config = config;
    this.#run = this.dispatch.event as Event & Run;
  }

  protected override call(): unknown {
    const { dispatch } = this;
    const { kind, name } = this.#run;
    const command = kind === "command" ? this.#registrations.get(kind, name) : undefined;
    // OpenClaw's commands complete nothing, whatever they are asked to.
    if (command) return this.#run.complete ? undefined : this.#command(command);
    const update = (partial: unknown): void => sendUpdate(dispatch, "tools.update", partial);
    return this.#registrations.run(
      this.#run,
      () => dispatch.abort.signal,
      () => undefined,
      update,
    );
  }

  /** What a command replies is a notice: that takes a power. */
  async #command(command: Definition): Promise<void> {
    const { environment, id } = this.dispatch;
    const context = commandContext(command, this.#run, this.#config, this.dispatch);
    const { text, isError } = replyText(await settled(apply(command.handler as () => unknown, command, [context])));
    if (text !== undefined) await settled(environment.remote.call("ui.notify", id, [text, isError ? "error" : "info"]));
  }

  protected override take(returned: unknown): boolean {
    if (this.#run.kind === "tool") this.verdict().result = toolResult(returned);
    return true;
  }
}
