import type { ProviderAct } from "../../../wire/providers.ts";
import type { Run } from "../../../wire/registrations.ts";
import type { Dispatch, Event } from "../../core/dispatch.ts";
import { HandlerChain } from "../../core/handler-chain.ts";
import { checkCall } from "../../core/limits.ts";
import { failure } from "../../core/outcome.ts";
import { apply, copyOf, isArray, parse, serialize } from "../../core/primordials.ts";
import { type Definition, type Registrations, runTool } from "../registrations.ts";
import { sendUpdate, toolResult } from "../tool-result.ts";
import { PiCommandContext, PiContext } from "./context.ts";
import type { Providers } from "./providers.ts";
import { render } from "./renderers.ts";
import { screensOf } from "./screens.ts";
import { themeOf } from "./theme.ts";
import { typingOf } from "./typing.ts";

interface Runnable {
  readonly registrations: Registrations;
  readonly providers: Providers;
}

/** A run has no handlers: it calls once. */
const ONE = [undefined];

/** Runs one tool, command or shortcut of an extension, or what a provider of its own is asked. */
export class RunChain extends HandlerChain {
  readonly #registrations: Registrations;
  readonly #providers: Providers;
  readonly #run: Run;

  constructor({ registrations, providers }: Runnable, dispatch: Dispatch) {
    super(ONE, dispatch);
    this.#registrations = registrations;
    this.#providers = providers;
    this.#run = this.dispatch.event as Event & Run;
  }

  protected override call(): unknown {
    const { dispatch } = this;
    const { environment } = dispatch;
    const { kind, name, drawing } = this.#run;
    if (kind === "completer" || kind === "keyListener") return typingOf(environment).run(this.#run, dispatch);
    if (kind === "provider")
      return this.#providers.run(name, this.#run.params as ProviderAct, dispatch, () => new PiContext(dispatch));
    if (kind === "markdownTransformer") return transformed(this.#registrations, this.#run);
    if (kind === "screen" && drawing) return screensOf(environment).draw(Number(name), drawing);
    if (drawing) return { lines: render(this.#registrations, this.#run, drawing, themeOf(dispatch)) };
    const update = (partial: unknown): void =>
      sendUpdate(dispatch, kind === "agentTool" ? "agents.update" : "tools.update", partial);
    if (kind === "agentTool") {
      const tool = environment.agentTools.get(name) as Definition | undefined;
      if (!tool) throw failure("BAD_RESULT", `the tool ${name} of an agent is gone`);
      return runTool(tool, this.#run, dispatch.abort.signal, update, new PiContext(dispatch));
    }
    const signal = (): unknown => dispatch.abort.signal;
    const context = (): PiContext => new (kind === "command" ? PiCommandContext : PiContext)(dispatch);
    return this.#registrations.run(this.#run, signal, context, update);
  }

  protected override take(returned: unknown): boolean {
    const { kind, drawing } = this.#run;
    if (kind === "provider") this.verdict().result = answered(returned);
    else if (drawing || kind === "completer" || kind === "keyListener" || kind === "markdownTransformer")
      this.verdict().result = returned;
    else if (this.#run.complete) this.verdict().result = { completions: completionsOf(returned) };
    else if (kind === "tool" || kind === "agentTool") this.verdict().result = toolResult(returned);
    return true;
  }
}

/** What a provider's code returned, as plain data. */
function answered(returned: unknown): object {
  return returned === undefined ? {} : { answer: parse(checkCall(serialize(returned), "the answer of a provider")) };
}

/** Markdown as the hook wants it shown; nothing if it is to stay as it is. */
function transformed(registrations: Registrations, { kind, name, params }: Run): object {
  const transform = registrations.get(kind as "markdownTransformer", name)?.transform;
  const { markdown, context } = params as { markdown: unknown; context: unknown };
  const text = typeof transform === "function" ? apply(transform, undefined, [markdown, context]) : undefined;
  return typeof text === "string" ? { text } : {};
}

/** pi's completions, of which only the texts are shown. */
function completionsOf(returned: unknown): object[] {
  if (!isArray(returned)) return [];
  return copyOf(returned as { value?: unknown; label?: unknown }[]).map(({ value, label }) => ({
    value: String(value),
    ...(typeof label === "string" ? { label } : {}),
  }));
}
