import type { ToolCalled } from "../../../sandbox/wire/answers.ts";
import { messageOf } from "../../base/errors.ts";
import type { Drawings } from "../../host/drawings.ts";
import type { HookHost } from "../../host/host.ts";
import type { OfferedTool } from "../../host/offers.ts";
import type { PiApi, PiContext, PiTool } from "./pi-api.ts";
import type { PiLink } from "./pi-link.ts";
import { PiRenderers } from "./renderers.ts";
import { toolSchema } from "./tool-schema.ts";

/** The command of Cordon's own. No hook has it. */
export const OWN_COMMAND = "cordon";

/** A request with any other name of a tool is refused by models, whole. */
const MODEL_NAME = /^[\w-]{1,64}$/;

/** Puts what hooks offer into pi: tools for the model, commands, shortcuts and flags for the person. */
export class PiOffers {
  readonly #host: HookHost;
  readonly #link: PiLink;
  readonly #pi: PiApi;
  readonly #renderers: PiRenderers;
  /** What pi has, as JSON: pi keeps everything until its session ends. */
  readonly #registered = new Map<string, string>();
  readonly #refused: (text: string) => void;
  #running = 0;
  #idle: (() => void) | undefined;

  /** `refused`: called with what pi does not take. */
  constructor(host: HookHost, link: PiLink, refused: (text: string) => void) {
    this.#host = host;
    this.#link = link;
    this.#pi = link.pi;
    this.#renderers = new PiRenderers(host, link);
    this.#refused = refused;
  }

  /** Registers what is new. Takes tools that are gone away from the model. */
  update(): void {
    const { offers } = this.#host;
    for (const tool of offers.tools)
      this.#once(`tool ${tool.name}`, tool, () => this.#pi.registerTool(this.#tool(tool)));
    for (const command of offers.commands("command")) {
      const { name, hook, description, completes } = command;
      if (name === OWN_COMMAND) continue;
      this.#once(`command ${name}`, command, () =>
        this.#pi.registerCommand(name, {
          description: `${description} (hook ${hook})`.trim(),
          ...(completes ? { getArgumentCompletions: (prefix) => offers.complete(name, prefix) } : {}),
          handler: (args, context) =>
            this.#link.during(context, () => this.#run(() => offers.runCommand("command", name, args))),
        }),
      );
    }
    for (const shortcut of offers.commands("shortcut")) {
      const { name, hook, description } = shortcut;
      this.#once(`shortcut ${name}`, shortcut, () =>
        this.#pi.registerShortcut(name, {
          description: `${description} (hook ${hook})`.trim(),
          handler: () => this.#run(() => offers.runCommand("shortcut", name, "")),
        }),
      );
    }
    for (const flag of offers.flags) {
      const { hook: _hook, name, ...rest } = flag;
      this.#once(`flag ${name}`, flag, () => this.#pi.registerFlag(name, rest));
    }
    for (const renderer of this.#host.drawings.renderers) this.#drawWith(renderer);
    this.#takeBack();
  }

  #drawWith(renderer: Drawings["renderers"][number]): void {
    const { kind, name } = renderer;
    this.#once(`renderer ${kind} ${name}`, renderer, () => {
      if (kind === "message") this.#pi.registerMessageRenderer(name, this.#renderers.of(kind, name));
      else if (kind === "entry") this.#pi.registerEntryRenderer?.(name, this.#renderers.of(kind, name));
      else
        this.#pi.registerToolRenderer?.((tool, next) => {
          const drawn = this.#renderers.ofTool(tool);
          return Object.keys(drawn).length > 0 ? { ...next(), ...drawn } : next();
        });
    });
  }

  /** Tells the hooks the flags that the person gave on pi's command line. */
  tellFlags(): void {
    for (const { name, default: value } of this.#host.offers.flags) {
      const given = this.#pi.getFlag(name);
      if (given !== undefined && given !== value) this.#host.offers.setFlag(name, given);
    }
  }

  /** Resolves when no command of a hook's runs: one that replaces the session goes on in the next. */
  async whenIdle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  /** Whether pi takes a text for a call of a command that this hook offers. It renames those that two extensions have. */
  isCommandOf(hook: string, text: string): boolean {
    const name = /^\/(\S+)/.exec(text)?.[1];
    const offered = this.#host.offers.commands("command");
    const isOwn = name !== OWN_COMMAND && offered.some((one) => one.hook === hook && one.name === name);
    return isOwn && this.#pi.getCommands().some((one) => one.source === "extension" && one.name === name);
  }

  #once(key: string, offered: { hook: string }, register: () => void): void {
    const text = JSON.stringify(offered);
    if (this.#registered.get(key) === text) return;
    this.#registered.set(key, text);
    try {
      register();
    } catch (error) {
      // What pi does not take of one hook must not keep it from the others.
      this.#refused(`pi does not take the ${key} of hook ${offered.hook}: ${messageOf(error)}`);
    }
  }

  #takeBack(): void {
    const offered = new Set(this.#host.offers.tools.map(({ name }) => `tool ${name}`));
    const gone = [...this.#registered.keys()].filter((key) => key.startsWith("tool ") && !offered.has(key));
    if (gone.length === 0) return;
    for (const key of gone) this.#registered.delete(key);
    const names = new Set(gone.map((key) => key.slice("tool ".length)));
    if (this.#link.hasBegun) this.#pi.setActiveTools(this.#pi.getActiveTools().filter((name) => !names.has(name)));
  }

  async #run(run: () => Promise<{ error?: string }>): Promise<void> {
    this.#running++;
    try {
      const { error } = await run();
      // As pi does with what a command throws.
      if (error !== undefined) throw new Error(error);
    } finally {
      if (--this.#running === 0) this.#idle?.();
    }
  }

  #tool(tool: OfferedTool): PiTool {
    if (!MODEL_NAME.test(tool.name)) throw new TypeError("models take names of letters, digits, _ and -");
    const { hook: _hook, promptGuidelines, parameters = {}, ...described } = tool;
    return {
      ...described,
      ...this.#renderers.ofTool(tool.name),
      parameters: toolSchema(parameters),
      ...(promptGuidelines ? { promptGuidelines: [...promptGuidelines] } : {}),
      execute: async (toolCallId, params, signal, onUpdate, context) => {
        const { isError, ...result } = await this.#host.offers.runTool(tool.name, params, {
          toolCallId,
          ...(signal ? { signal } : {}),
          ...(onUpdate ? { onUpdate } : {}),
          // pi lets the gates judge such a call as any other. It came with pi 1.5.
          ...(context.executeTool ? { callTool: (...call) => called(context, ...call) } : {}),
        });
        // pi's tools signal an error by throwing: one that returns `isError` has an answer, with its details.
        if (isError && result.details === undefined)
          throw new Error(result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
        return result;
      },
    };
  }
}

/** Runs a tool of pi's for a hook's. */
async function called(context: PiContext, name: string, args: unknown, signal: AbortSignal): Promise<ToolCalled> {
  if (!context.executeTool) throw new Error("this pi runs no tools for others");
  const { toolCall, result, isError } = await context.executeTool(name, args, { signal });
  const { content, details } = result;
  return { toolCall, result: { content, ...(details === undefined ? {} : { details }) }, isError };
}
