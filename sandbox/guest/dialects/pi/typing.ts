import { ANY_KEY, type Run } from "../../../wire/registrations.ts";
import { type CompletionQuestion, MAX_TRIGGERS } from "../../../wire/screens.ts";
import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { failure } from "../../core/outcome.ts";
import { apply, copyOf, forHook, isArray, own, settled } from "../../core/primordials.ts";
import { agentsProvider, suggestionsOf } from "./suggestions.ts";

type Listener = (...args: unknown[]) => unknown;

/** A completer of a hook. `asking`: the event in which it is asked. */
interface Completer {
  provider: object;
  asking: number;
}

const MAX_COMPLETERS = 16;

/** What a bundle has in the agent's editor: completers of what is written, and listeners to each key. */
class Typing {
  readonly #environment: GuestEnvironment;
  readonly #completers = new Map<string, Completer>();
  readonly #listeners = new Set<Listener>();

  constructor(environment: GuestEnvironment) {
    this.#environment = environment;
  }

  complete(factory: unknown): void {
    if (typeof factory !== "function")
      throw new TypeError("ctx.ui.addAutocompleteProvider takes a function that makes a provider");
    if (this.#completers.size >= MAX_COMPLETERS)
      throw new RangeError(`a hook may have ${MAX_COMPLETERS} providers of completions`);
    const completer: Completer = { provider: {}, asking: 0 };
    const agents = agentsProvider(this.#environment, () => ({ editor: 0, dispatch: completer.asking }));
    const provider = apply(factory, undefined, [agents]);
    if (typeof provider !== "object" || provider === null)
      throw new TypeError("a provider of completions must be an object");
    completer.provider = provider;
    const name = String(this.#completers.size + 1);
    this.#completers.set(name, completer);
    const triggers = (provider as { triggerCharacters?: unknown }).triggerCharacters;
    const description = isArray(triggers) ? { triggers: copyOf(triggers).slice(0, MAX_TRIGGERS).map(characterOf) } : {};
    this.#environment.port.message({ t: "registered", kind: "completer", name, description });
  }

  listen(handler: unknown): () => void {
    if (typeof handler !== "function") throw new TypeError("ctx.ui.onTerminalInput takes a function");
    const listener: Listener = (...args) => apply(handler, undefined, args);
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#tell({});
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#tell(null);
    };
  }

  /** Asks a completer, or hands a key to all listeners. Returns the result, or a promise of it. */
  run({ kind, name, params }: Run, dispatch: Dispatch): unknown {
    return kind === "completer" ? this.#suggest(name, params as CompletionQuestion, dispatch) : this.#press(params);
  }

  #suggest(name: string, { lines, row, col, force }: CompletionQuestion, dispatch: Dispatch): unknown {
    const completer = this.#completers.get(name);
    const ask = completer && (completer.provider as { getSuggestions?: unknown }).getSuggestions;
    if (typeof ask !== "function") throw failure("BAD_RESULT", `the completer ${name} has no getSuggestions()`);
    (completer as Completer).asking = dispatch.id;
    const options = forHook({ signal: dispatch.abort.signal, force });
    return settled(apply(ask, completer?.provider, [lines, row, col, options])).then(suggestionsOf);
  }

  /** As in pi: one listener gets what the one before left of it, unless that one kept it. */
  #press(given: unknown): object {
    let data = given;
    for (const listener of this.#listeners) {
      const result = listener(data);
      if (typeof result !== "object" || result === null) continue;
      if (own(result, "consume") === true) return { consume: true };
      data = own(result, "data") ?? data;
    }
    return data === given ? {} : { data: String(data) };
  }

  #tell(description: object | null): void {
    this.#environment.port.message({ t: "registered", kind: "keyListener", name: ANY_KEY, description });
  }
}

const characterOf = (value: unknown): string => String(value).slice(0, 2);

const all = new WeakMap<GuestEnvironment, Typing>();

/** What the bundle in this environment has in the agent's editor. */
export function typingOf(environment: GuestEnvironment): Typing {
  const typing = all.get(environment) ?? new Typing(environment);
  all.set(environment, typing);
  return typing;
}
