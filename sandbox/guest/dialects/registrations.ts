import { MAX_TOOL_NAME } from "../../wire/messages.ts";
import {
  ANY_TOOL,
  type Description,
  MARKDOWN_PLACES,
  MAX_DESCRIPTION,
  MAX_REGISTRATIONS,
  type MarkdownPlace,
  REGISTERED_NAME,
  type RegistrationKind,
  type Run,
} from "../../wire/registrations.ts";
import { checkLength, checkSize } from "../core/limits.ts";
import { failure } from "../core/outcome.ts";
import type { Port } from "../core/port.ts";
import { apply, isArray, parseHere, serialize } from "../core/primordials.ts";

export type Definition = Record<string, unknown>;

const NAME = new RegExp(REGISTERED_NAME);

/** The methods of a tool that draw its calls and its results. */
export const RENDERERS = { call: "renderCall", result: "renderResult" } as const;

/** The tools, commands, shortcuts and flags that an extension registers. Their code stays here. */
export class Registrations {
  readonly #port: Port;
  readonly #added: () => void;
  readonly #all = new Map<string, Definition>();
  readonly #flags = new Map<string, unknown>();

  /** `added`: called with each. */
  constructor(port: Port, added: () => void = () => {}) {
    this.#port = port;
    this.#added = added;
  }

  /** pi's functions that register. */
  get api(): Record<string, unknown> {
    return {
      registerTool: (tool: Definition) => this.addTool(tool, "pi"),
      registerCommand: (name: unknown, command: Definition) => {
        if (typeof command?.handler !== "function") throw new TypeError("pi.registerCommand takes a handler");
        this.addCommand(name, command);
      },
      registerShortcut: (key: unknown, shortcut: Definition) => {
        if (typeof shortcut?.handler !== "function") throw new TypeError("pi.registerShortcut takes a handler");
        this.#add("shortcut", key, shortcut, textsOf(shortcut, "description"));
      },
      registerFlag: (name: unknown, flag: Definition = {}) => {
        const { type, default: value } = flag;
        if (!this.#flags.has(String(name))) this.#flags.set(String(name), value);
        this.#add("flag", name, flag, {
          ...textsOf(flag, "description"),
          type: type === "string" ? "string" : "boolean",
          ...(typeof value === "string" || typeof value === "boolean" ? { default: value } : {}),
        });
      },
      registerMessageRenderer: (customType: unknown, renderer: unknown) =>
        this.#addRenderer("messageRenderer", customType, renderer),
      registerEntryRenderer: (customType: unknown, renderer: unknown) =>
        this.#addRenderer("entryRenderer", customType, renderer),
      // One for all tools: it says of each whether it draws it.
      registerToolRenderer: (resolver: unknown) => this.#addRenderer("toolRenderer", ANY_TOOL, resolver),
      // One for a hook, as in pi.
      registerMarkdownTransformer: (transform: unknown, options: { messageTypes?: unknown } = {}) => {
        if (typeof transform !== "function") throw new TypeError("pi.registerMarkdownTransformer takes a function");
        this.#add("markdownTransformer", ANY_TOOL, { transform }, { places: placesOf(options.messageTypes) });
      },
      getFlag: (name: unknown) => (this.#all.has(`flag ${String(name)}`) ? this.#flags.get(String(name)) : undefined),
    };
  }

  /** `api`: the name of the object whose `registerTool` the hook calls. */
  addTool(tool: Definition, api: string): void {
    if (typeof tool?.execute !== "function") throw new TypeError(`${api}.registerTool takes a tool with execute()`);
    this.#add("tool", tool.name, tool, describeTool(tool));
  }

  addCommand(
    name: unknown,
    command: Definition,
    completes = typeof command.getArgumentCompletions === "function",
  ): void {
    this.#add("command", name, command, { ...textsOf(command, "description"), ...(completes ? { completes } : {}) });
  }

  /** The person gave a flag this value. */
  setFlag(name: string, value: boolean | string): void {
    this.#flags.set(name, value);
  }

  /** Runs what was registered. `update` sends a part of a tool's result. */
  run(
    event: Run,
    signal: () => unknown,
    context: () => object | undefined,
    update: (partial: unknown) => void,
  ): unknown {
    const { kind } = event;
    const definition =
      kind === "screen" || kind === "agentTool" || kind === "provider" ? undefined : this.get(kind, event.name);
    if (!definition) throw failure("BAD_RESULT", `the ${kind} ${event.name} is gone`);
    if (kind === "tool") return runTool(definition, event, signal(), update, context());
    if (event.complete) return call(definition, "getArgumentCompletions", [event.args]);
    return call(definition, "handler", event.kind === "command" ? [event.args, context()] : [context()]);
  }

  /** What was registered by this name. */
  get(kind: RegistrationKind, name: string): Definition | undefined {
    return this.#all.get(`${kind} ${name}`);
  }

  #addRenderer(kind: RegistrationKind, name: unknown, renderer: unknown): void {
    if (typeof renderer !== "function") throw new TypeError("a renderer must be a function that returns a component");
    this.#add(kind, name, { render: renderer }, {});
  }

  #add(kind: RegistrationKind, given: unknown, definition: Definition, description: Description): void {
    if (typeof given !== "string" || !NAME.test(given))
      throw new TypeError(`a ${kind} needs a name of letters, digits and signs, without spaces`);
    const name = checkLength(given, MAX_TOOL_NAME, "a name");
    const key = `${kind} ${name}`;
    if (!this.#all.has(key) && this.#all.size >= MAX_REGISTRATIONS)
      throw new RangeError(`a hook may register ${MAX_REGISTRATIONS} tools, commands, shortcuts and flags`);
    checkLength(serialize(description), MAX_DESCRIPTION, `the description of ${key}`);
    this.#all.set(key, definition);
    this.#added();
    this.#port.message({ t: "registered", kind, name, description });
  }
}

/** Runs a tool, also one of an agent of the hook's own. */
export function runTool(
  tool: Definition,
  { toolCallId, params }: Run,
  signal: unknown,
  update: (partial: unknown) => void,
  context: object | undefined,
): unknown {
  const { prepareArguments } = tool;
  const prepared = typeof prepareArguments === "function" ? prepareArguments(params) : params;
  return call(tool, "execute", [toolCallId, prepared, signal, update, context]);
}

/** Calls a method of what was registered, which the hook may have replaced since. */
function call(definition: Definition, name: string, args: unknown[]): unknown {
  const method = definition[name];
  if (typeof method !== "function") throw failure("BAD_RESULT", `${name} is not a function`);
  return apply(method, definition, args);
}

/** Those that pi asks a transformer about if it does not say. */
const USUAL_PLACES = MARKDOWN_PLACES.slice(0, 3);

function placesOf(given: unknown): MarkdownPlace[] {
  if (given === undefined) return USUAL_PLACES;
  const named: unknown[] = isArray(given) ? parseHere(serialize(given)) : [];
  return MARKDOWN_PLACES.filter((place) => named.includes(place));
}

function describeTool(tool: Definition): Description {
  const { parameters, promptGuidelines, executionMode } = tool;
  checkSize(parameters, "BAD_RESULT", "parameters");
  const draws = (["call", "result"] as const).filter((part) => typeof tool[RENDERERS[part]] === "function");
  return {
    ...textsOf(tool, "label", "description", "promptSnippet"),
    ...(draws.length > 0 ? { draws } : {}),
    parameters: plainSchema(parameters),
    ...(isArray(promptGuidelines) ? { promptGuidelines: parseHere(serialize(promptGuidelines)).map(String) } : {}),
    ...(executionMode === "sequential" || executionMode === "parallel" ? { executionMode } : {}),
  };
}

function plainSchema(parameters: unknown): Record<string, unknown> {
  const plain: unknown = parameters === undefined ? undefined : parseHere(serialize(parameters));
  if (typeof plain !== "object" || plain === null || isArray(plain)) return { type: "object", properties: {} };
  return plain as Record<string, unknown>;
}

const textsOf = (from: Definition, ...names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = from[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
