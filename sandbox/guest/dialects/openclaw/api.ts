import type { GuestInit } from "../../../wire/messages.ts";
import { MAX_UNSUPPORTED_NAME } from "../../../wire/messages.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { isObject } from "../../core/exports.ts";
import { apply, copyOf, forHook, isArray, offered, parse, serialize } from "../../core/primordials.ts";
import { notOffered, offeredPart } from "../offered-part.ts";
import type { Definition, Registrations } from "../registrations.ts";
import type { Unsupported } from "../unsupported.ts";
import { commandOf } from "./commands.ts";
import type { PluginHook } from "./events.ts";
import { resolvedPath, stateFolder } from "./paths.ts";
import { pluginConfig } from "./plugin-config.ts";
import { serviceHooks } from "./services.ts";
import { runCommandWithTimeout } from "./system.ts";

type On = (hookName: unknown, handler: unknown, options?: { priority?: unknown; matcher?: unknown }) => void;

/** What the `api` of a plugin acts on. */
interface Given {
  readonly environment: GuestEnvironment;
  readonly on: On;
  readonly add: (hook: PluginHook) => void;
  readonly registrations: Registrations;
  readonly unsupported: Unsupported;
  /** {@link visibleConfig} */
  readonly config: object;
}

const WHY = "only hooks, tools, commands and services of a plugin run here";

/** What a plugin adds to OpenClaw, besides those: channels, providers and more. */
const REGISTERS = /^register[A-Z]/;

/** Those that plugins use most: a copy of `api` has them, too. */
const USUAL = "Channel Cli GatewayMethod HttpHandler HttpRoute MemoryCapability Provider".split(" ");

/** What guards calls or their results. Without it, a plugin would seem to guard, and guard nothing. */
const GUARDS = /Policy|Middleware|Guard|Security|Intercept/;

/** The policies of a plugin are asked before its other handlers. */
const FIRST = Number.MAX_SAFE_INTEGER;

/** OpenClaw itself, from inside. Plugins keep it while they register, and may never use it. */
const INSIDE = ["session", "agent", "lifecycle", "runContext"];

/** What plugins see of OpenClaw's configuration: the folder, and their own part. They may write into it, as they can there: nobody reads that. */
export const visibleConfig = ({ cwd }: Pick<GuestInit, "cwd">): object =>
  parse(serialize({ agents: { defaults: { workspace: cwd } } }));

/**
 * The `api` that a plugin registers with. It can register hooks, tools, commands and services. Anything else that it registers is
 * left out. Any other member is undefined, as in a version of OpenClaw that lacks it. The log names both.
 */
export function openclawApi(plugin: object, given: Given): object {
  const { environment, on, add, registrations, unsupported, config } = given;
  const { init, logger } = environment;
  const { id: declared, name, version, description } = plugin as Record<string, unknown>;
  const id = typeof declared === "string" ? declared : init.hook;
  const entry = { enabled: true, config: pluginConfig(init.plugin) };
  Object.assign(config, parse(serialize({ plugins: { entries: { [id]: entry } } })));
  const leaveOut = (part: string): undefined => {
    unsupported.add(`api.${part}`.slice(0, MAX_UNSUPPORTED_NAME));
    return undefined;
  };
  const inside = (name: string, offered: object): object => offeredPart(offered, (part) => leaveOut(`${name}.${part}`));
  const state = inside("runtime.state", { resolveStateDir: () => stateFolder(init) });
  const system = inside("runtime.system", {
    runCommandWithTimeout: (argv: unknown, options: unknown) =>
      offered(runCommandWithTimeout, [environment, argv, options]),
  });
  const api = {
    id,
    name: typeof name === "string" ? name : init.hook,
    ...(typeof version === "string" ? { version } : {}),
    ...(typeof description === "string" ? { description } : {}),
    source: init.hook,
    registrationMode: "full",
    get config() {
      return leaveOut("config") ?? config;
    },
    pluginConfig: pluginConfig(init.plugin),
    logger: Object.freeze({ ...logger }),
    ...Object.fromEntries(INSIDE.map((part) => [part, inside(part, {})])),
    runtime: inside("runtime", { state, system }),
    ...Object.fromEntries(USUAL.map((kind) => [`register${kind}`, () => void leaveOut(`register${kind}`)])),
    resolvePath: (path: unknown) => resolvedPath(String(path), init),
    on,
    /** The older name of `on`. */
    registerHook: (names: unknown, handler: unknown, options?: unknown) => {
      for (const hookName of isArray(names) ? copyOf<unknown>(names) : [names])
        on(hookName, handler, isObject(options) ? options : undefined);
    },
    registerTrustedToolPolicy: (policy: unknown) => {
      const { matcher } = Object(policy) as { matcher?: unknown };
      on("before_tool_call", handlerOf(policy), { priority: FIRST, matcher });
    },
    registerTool: (given: unknown) => {
      for (const tool of toolsOf(given, init.cwd)) registrations.addTool(tool, "api");
    },
    registerCommand: (given: unknown) => {
      const command = commandOf(given);
      if ("why" in command) logger.error(`a command is left out: ${command.why}`);
      else if (!registrations.get("command", command.name))
        registrations.addCommand(command.name, command.definition, false);
    },
    registerService: (service: unknown) => {
      for (const hook of serviceHooks(service, config, environment, leaveOut)) add(hook);
    },
  };
  return offeredPart(api, (part) => {
    if (!REGISTERS.test(part)) return leaveOut(part);
    if (GUARDS.test(part)) throw notOffered(`api.${part}`, WHY);
    return () => void leaveOut(part);
  });
}

/** A policy is a handler. */
function handlerOf(policy: unknown): unknown {
  const { evaluate } = Object(policy) as { evaluate?: unknown };
  if (typeof evaluate !== "function") return evaluate;
  return (event: unknown, context: unknown): unknown => apply(evaluate, policy, [event, context]);
}

/** A plugin registers a tool, or what makes one or more of them for a session. */
function toolsOf(given: unknown, workspaceDir: string): Definition[] {
  const made: unknown =
    typeof given === "function" ? apply(given, undefined, [forHook({ config: {}, workspaceDir })]) : given;
  const tools = isArray(made) ? copyOf<unknown>(made) : [made];
  return tools.filter((tool) => tool !== undefined && tool !== null) as Definition[];
}
