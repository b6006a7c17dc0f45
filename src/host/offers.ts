import { MAX_NAME } from "../../sandbox/wire/messages.ts";
import type { Description, RegistrationKind, Run } from "../../sandbox/wire/registrations.ts";
import { CordonError } from "../base/errors.ts";
import { didYouMean } from "../base/near-names.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { ImageContent, TextContent } from "../hook-api.ts";
import { reasonOf, troubleOf } from "../session/failure-text.ts";
import type { Hook } from "../session/hook.ts";
import type { CallTool } from "../supervisor/prepared-event.ts";
import { toPlain } from "../supervisor/untrusted-json.ts";
import { endOf, isCancelled } from "../verdicts/cancelled.ts";
import { ordered } from "../verdicts/host-inside.ts";
import { givenBy } from "../verdicts/result-shape.ts";
import type { RunDeps } from "./run-deps.ts";

/** A tool that a hook offers to the model. */
export interface OfferedTool extends Pick<Description, "parameters" | "promptGuidelines" | "executionMode"> {
  /** Id of the hook. */
  hook: string;
  name: string;
  label: string;
  /** Cleaned. Ends with the hook's name, since the model reads it. */
  description: string;
  promptSnippet?: string;
}

/** A command (by its name) or shortcut (by its key) that a hook offers to the person. */
export interface OfferedCommand {
  hook: string;
  name: string;
  description: string;
  completes: boolean;
}

/** A flag of the agent's command line that a hook reads. */
export interface OfferedFlag {
  hook: string;
  name: string;
  description: string;
  type: "boolean" | "string";
  default?: boolean | string;
}

/** What a hook's tool returned. For a hook that failed, `isError` is true and the content says why. */
export interface ToolOutcome {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError: boolean;
  /** The agent should stop after this call. */
  terminate?: boolean;
}

/** What a hook's command did. */
export interface CommandOutcome {
  /** Why it failed, for the person. */
  error?: string;
}

/** Most waking time of a tool or a command, in ms. Time in which it waits for a person or a program does not count. */
const RUN_LIMIT_MS = 600_000;
/** Completions are wanted while a person types. */
const COMPLETE_LIMIT_MS = 2000;

const MAX_TEXT = 10_000;
const MAX_LINE = 200;
/** A line about a tool for the model's instructions. */
const MAX_GUIDELINE = 2000;

interface Found {
  hook: Hook;
  description: Description;
}

/** A line of the model's instructions, which says whose it is. */
const ofHook = (hook: Hook, text: string): string => `${text} (From the hook ${hook.name}.)`;

/** What the hooks of a session add to the agent: tools, commands, shortcuts and flags. Only what was granted is offered. */
export class Offers {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  get tools(): OfferedTool[] {
    return this.#all("tool").map(([name, { hook, description }]) => ({
      hook: hook.id,
      name,
      label: cleanLine(description.label ?? name, MAX_LINE),
      description: `${cleanText(description.description ?? "", MAX_TEXT)}\n(A tool of the hook ${hook.name}.)`.trim(),
      parameters: toPlain(description.parameters) ?? { type: "object", properties: {} },
      ...(description.executionMode ? { executionMode: description.executionMode } : {}),
      ...(description.promptSnippet === undefined
        ? {}
        : { promptSnippet: ofHook(hook, cleanLine(description.promptSnippet, MAX_GUIDELINE)) }),
      ...(description.promptGuidelines
        ? { promptGuidelines: description.promptGuidelines.map((text) => ofHook(hook, cleanText(text, MAX_GUIDELINE))) }
        : {}),
    }));
  }

  commands(kind: "command" | "shortcut"): OfferedCommand[] {
    return this.#all(kind).map(([name, { hook, description }]) => ({
      hook: hook.id,
      name,
      description: cleanLine(description.description ?? "", MAX_LINE),
      completes: description.completes === true,
    }));
  }

  get flags(): OfferedFlag[] {
    return this.#all("flag").map(([name, { hook, description }]) => ({
      hook: hook.id,
      name,
      description: cleanLine(description.description ?? "", MAX_LINE),
      type: description.type ?? "boolean",
      ...(description.default === undefined ? {} : { default: description.default }),
    }));
  }

  /**
   * Runs a tool. Rejects only if no hook offers it. The agent has asked its gates about the call before. `callTool`: runs another
   * tool of the agent's for it, after the gates judged that call, too.
   */
  async runTool(
    name: string,
    params: unknown,
    options: {
      toolCallId: string;
      signal?: AbortSignal;
      onUpdate?: (partial: object) => void;
      callTool?: CallTool;
    },
  ): Promise<ToolOutcome> {
    if (typeof options?.toolCallId !== "string")
      throw new CordonError("BAD_GRANT", "runTool: its third argument must have a toolCallId, a text");
    const { toolCallId, signal, onUpdate, callTool } = options;
    const run = { type: "run", kind: "tool", name, toolCallId, params } as const;
    const { result, error } = await this.#run(run, RUN_LIMIT_MS, { signal, onUpdate, callTool });
    if (error !== undefined) return { content: [{ type: "text", text: error }], isError: true };
    return { ...result, content: result?.content ?? [], isError: result?.isError === true };
  }

  /** Runs a command or a shortcut. Rejects only if no hook offers it. */
  async runCommand(
    kind: "command" | "shortcut",
    name: string,
    args: string,
    signal?: AbortSignal,
  ): Promise<CommandOutcome> {
    const { error } = await this.#run({ type: "run", kind, name, args }, RUN_LIMIT_MS, { signal });
    return error === undefined ? {} : { error };
  }

  /** Completes the arguments of a command; empty if its hook knows nothing. */
  async complete(name: string, args: string): Promise<{ value: string; label: string }[]> {
    const run = { type: "run", kind: "command", name, args, complete: true } as const;
    const { result } = await this.#run(run, COMPLETE_LIMIT_MS, {});
    return (result?.completions ?? []).map(({ value, label }) => ({
      value: cleanLine(value, MAX_LINE),
      label: cleanLine(label ?? value, MAX_LINE),
    }));
  }

  /** Tells every hook that registered this flag its value. */
  setFlag(name: string, value: boolean | string): void {
    for (const hook of ordered({ hooks: this.#deps.hooks })) {
      const has = hook.registrations.all.some((one) => one.kind === "flag" && one.name === name);
      if (has) hook.hosting?.supervisor.tell(hook.hosting.isolate, { t: "flag", name, value });
    }
  }

  async #run(
    run: Run & { kind: RegistrationKind },
    limitMs: number,
    options: {
      signal?: AbortSignal | undefined;
      onUpdate?: ((partial: object) => void) | undefined;
      callTool?: CallTool | undefined;
    },
  ): Promise<{ result?: RunResult; error?: string }> {
    const found = this.#all(run.kind).find(([name]) => name === run.name)?.[1];
    if (!found) throw new CordonError("NOT_GRANTED", this.#missing(run.kind, run.name));
    const { hook } = found;
    const outcome = await this.#deps.dispatcher.run(hook, run, limitMs, options);
    const trouble = troubleOf(outcome);
    const gaveUp = isCancelled(this.#deps, options.signal);
    if (!gaveUp) this.#deps.reporter.reportOutcome(hook, `${run.kind} ${run.name}`, outcome);
    this.#deps.reporter.audit({ hook: hook.id, event: run.kind, value: run.name, outcome: endOf(trouble, gaveUp) });
    if (!trouble) return { result: givenBy<RunResult>(outcome) ?? {} };
    return { error: reasonOf(hook, trouble, `run its ${run.kind} ${cleanLine(run.name, MAX_NAME)}`) };
  }

  /** Why nothing of that name is offered. */
  #missing(kind: RegistrationKind, name: string): string {
    const { hooks, reporter } = this.#deps;
    const added = hooks.flatMap((hook) =>
      hook.registrations.all.filter((one) => one.kind === kind).map((one) => ({ hook, one })),
    );
    const found = added.find(({ one }) => one.name === name);
    if (found && !found.hook.mayOffer(found.one)) return reporter.notOffered(found.hook, kind, name).message;
    const near = found
      ? ""
      : didYouMean(
          name,
          added.map(({ one }) => one.name),
        );
    return `no hook offers the ${kind} ${cleanLine(name, MAX_NAME)} here${near}`;
  }

  /** By name. The first hook that offers a name has it. */
  #all(kind: RegistrationKind): [name: string, Found][] {
    const all = new Map<string, Found>();
    for (const hook of ordered({ hooks: this.#deps.hooks })) {
      if (!hook.isUp) continue;
      for (const one of hook.registrations.all)
        if (one.kind === kind && hook.mayOffer(one) && !all.has(one.name))
          all.set(one.name, { hook, description: one.description });
    }
    return [...all];
  }
}

interface RunResult {
  content?: (TextContent | ImageContent)[];
  details?: unknown;
  isError?: boolean;
  terminate?: boolean;
  completions?: { value: string; label?: string }[];
}
