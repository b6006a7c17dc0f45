import { ANY_KEY, type RegistrationKind, type Run } from "../../sandbox/wire/registrations.ts";
import type { CompletionQuestion, Suggestions } from "../../sandbox/wire/screens.ts";
import { once } from "../base/once.ts";
import { cleanLine } from "../base/text.ts";
import type { Suggest } from "../hook-screen.ts";
import { hasControlC } from "../powers/leave-keys.ts";
import { troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { Registration } from "../session/registrations.ts";
import { ordered } from "../verdicts/host-inside.ts";
import { givenBy } from "../verdicts/result-shape.ts";
import type { RunDeps } from "./run-deps.ts";

/** A completer that a hook adds to the agent's editor. */
export interface OfferedCompleter {
  /** Id of the hook. */
  hook: string;
  /** Its name among those of the hook. */
  name: string;
  /** Characters at which it is asked, besides when the person asks. */
  triggers: readonly string[];
}

/** What becomes of a key: kept by a hook, or something else for the agent. */
export interface Pressed {
  consume?: true;
  data?: string;
}

/** Most waking time for a completion, and for a key, in ms. */
const SUGGEST_LIMIT_MS = 5000;
const KEY_LIMIT_MS = 1000;
const MAX_LINE = 1000;
/**
 * What a hook may make of a key: a text, or one key that moves or deletes. A key that sends, or that the agent has an
 * action for, would be pressed in the person's name.
 */
const harmless = once(
  () =>
    new RegExp(`^(?:[^\\p{Cc}]{1,1000}|\\u007f|${"\u001b"}(?:O|\\[(?:1;\\d{1,2})?)[A-DFH]|${"\u001b"}\\[[3-6]~)$`, "u"),
);

/** What hooks that may read what the person types do with it: they complete words, and hear keys. */
export class Typing {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** The completers that hooks add now. */
  get completers(): OfferedCompleter[] {
    return this.#all("completer").map(({ hook, registration: { name, description } }) => ({
      hook: hook.id,
      name,
      triggers: (description.triggers ?? []).map((trigger) => cleanLine(trigger, 2)),
    }));
  }

  /** Ids of the hooks that hear each key. */
  get listeners(): string[] {
    return this.#all("keyListener").map(({ hook }) => hook.id);
  }

  /**
   * Asks a completer. `agents`: what the agent itself suggests, which the completer may ask for. Null: nothing. Rejects if
   * its hook fails, or has it no more.
   */
  async suggest(
    { hook: id, name }: Pick<OfferedCompleter, "hook" | "name">,
    question: CompletionQuestion,
    agents: Suggest,
    signal?: AbortSignal,
  ): Promise<Suggestions | null> {
    const found = this.#all("completer").find(({ hook, registration }) => hook.id === id && registration.name === name);
    if (!found) throw new Error(`the completer ${cleanLine(name, MAX_LINE)} is gone`);
    const run: Run = { type: "run", kind: "completer", name, params: question };
    const given = await this.#run<{ suggestions?: Suggestions }>(found.hook, run, SUGGEST_LIMIT_MS, agents, signal);
    return given.suggestions ? shown(given.suggestions) : null;
  }

  /**
   * Hands what the terminal sent to one hook after the other. A hook that fails leaves it as it is. Ctrl+C is no hook's: it
   * always reaches the agent.
   */
  async press(data: string): Promise<Pressed> {
    if (hasControlC(data)) return {};
    let now = data;
    for (const { hook } of this.#all("keyListener")) {
      const run: Run = { type: "run", kind: "keyListener", name: ANY_KEY, params: now };
      const given = await this.#run<{ consume?: boolean; data?: string }>(hook, run, KEY_LIMIT_MS).catch(
        () => undefined,
      );
      if (given?.consume) return { consume: true };
      if (given?.data !== undefined && harmless().test(given.data)) now = given.data;
    }
    return now === data ? {} : { data: now };
  }

  /** Not each key is written to the audit. Failures are. */
  async #run<Result>(
    hook: Hook,
    run: Run,
    limitMs: number,
    suggest?: Suggest,
    signal?: AbortSignal,
  ): Promise<Partial<Result>> {
    const outcome = await this.#deps.dispatcher.run(hook, run, limitMs, { signal, suggest });
    if (!troubleOf(outcome)) return givenBy<Partial<Result>>(outcome) ?? {};
    this.#deps.reporter.reportOutcome(hook, run.kind, outcome);
    throw new Error(`hook ${hook.name} failed`);
  }

  #all(kind: RegistrationKind): { hook: Hook; registration: Registration }[] {
    return ordered({ hooks: this.#deps.hooks })
      .filter((hook) => hook.isUp && hook.readsTyping)
      .flatMap((hook) =>
        hook.registrations.all.filter((one) => one.kind === kind).map((registration) => ({ hook, registration })),
      );
  }
}

const line = (text: string): string => cleanLine(text, MAX_LINE);

const shown = ({ items, prefix }: Suggestions): Suggestions => ({
  items: items.map(({ value, label, description }) => ({
    value: line(value),
    label: line(label),
    ...(description === undefined ? {} : { description: line(String(description)) }),
  })),
  prefix,
});
