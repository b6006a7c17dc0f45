import type { SessionPage } from "../../../wire/answers.ts";
import type { AgentAct, AgentRead, SessionRead } from "../../../wire/choices.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { checkArguments, checkCall } from "../../core/limits.ts";
import { hookPromise, ignoreRejection, parse, parseHere, realm, serialize } from "../../core/primordials.ts";
import { acted } from "./live-state.ts";

/** The agent, as extensions of later versions of pi use it. `dispatch`: the event in hand, or 0. */
export class Agent {
  readonly #environment: GuestEnvironment;
  readonly #dispatch: number;

  constructor(environment: GuestEnvironment, dispatch: number) {
    this.#environment = environment;
    this.#dispatch = dispatch;
  }

  /** Reads the session. A list comes in parts, and is read to its end. */
  session(name: SessionRead, argument?: string): unknown {
    const args = argument === undefined ? [] : [argument];
    const items: unknown[] = parse("[]");
    for (let from: number | null = 0; from !== null; ) {
      const page = this.#ask("session.query", [name, args, from]) as SessionPage;
      if ("value" in page) return page.value ?? undefined;
      for (const item of page.items) Object.defineProperty(items, items.length, { ...MEMBER, value: item });
      from = page.next;
    }
    return items;
  }

  read(name: AgentRead): unknown {
    return this.#ask("agent.read", [name]);
  }

  /** Asks the agent to do something. The promise is of the hook's realm. */
  act(name: AgentAct, ...args: unknown[]): Promise<unknown> {
    acted(this.#environment);
    return this.#environment.remote.call("agent.act", this.#dispatch, [name, args.map(nothingIsNull)]);
  }

  /** The same where pi's function returns nothing: a refusal is reported by the host. */
  tell(name: AgentAct, ...args: unknown[]): void {
    ignoreRejection(this.act(name, ...args));
  }

  show(what: string, ...args: unknown[]): void {
    ignoreRejection(this.#environment.remote.call("ui.show", this.#dispatch, [what, args.map(nothingIsNull)]));
  }

  /** The edited text; `undefined` if the person left the editor. */
  editor(title: unknown, prefill: unknown): Promise<unknown> {
    const args = prefill === undefined ? [title] : [title, prefill];
    return this.after(this.#environment.remote.call("ui.editor", this.#dispatch, args), (text) => text ?? undefined);
  }

  editorText(): unknown {
    return this.#ask("ui.editorText", []);
  }

  findModel(provider: unknown, id: unknown): unknown {
    return this.#ask("model.find", [provider, id]) ?? undefined;
  }

  /** Asks a model. A signal of the hook's aborts it. */
  complete(model: unknown, context: unknown, options: { signal?: unknown } = {}): Promise<unknown> {
    const { signal, ...plain } = options;
    const aborts = signal instanceof realm.AbortSignal ? signal : undefined;
    return this.#environment.remote.call("model.complete", this.#dispatch, [model, context, plain], aborts);
  }

  /** Runs a tool of the agent's. A signal of the hook's aborts it. */
  callTool(name: unknown, args: unknown, { signal }: { signal?: unknown } = {}): Promise<unknown> {
    const aborts = signal instanceof realm.AbortSignal ? signal : undefined;
    return this.#environment.remote.call("calls.run", this.#dispatch, [String(name), args ?? {}], aborts);
  }

  apiKey(model: unknown): Promise<unknown> {
    return this.#environment.remote.call("model.resolveApiKey", this.#dispatch, [model]);
  }

  /** `then` with a function of the runtime's. */
  after(work: Promise<unknown>, next: (value: unknown) => unknown): Promise<unknown> {
    return hookPromise(work.then(next));
  }

  #ask(op: string, args: readonly unknown[]): unknown {
    // An honest mistake is an error here. The host takes other arguments for an attack.
    const plain = parseHere(checkCall(serialize(args), op));
    checkArguments(plain, op, true);
    return this.#environment.port.ask({ op, dispatch: this.#dispatch, args: plain });
  }
}

const MEMBER = { writable: true, enumerable: true, configurable: true } as const;

const nothingIsNull = (value: unknown): unknown => value ?? null;
