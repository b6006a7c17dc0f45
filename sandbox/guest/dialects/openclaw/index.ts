import { MAX_HANDLERS, MAX_UNSUPPORTED_NAME } from "../../../wire/messages.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { defaultOf, isObject } from "../../core/exports.ts";
import { keepPlace } from "../../core/handler-place.ts";
import { failure } from "../../core/outcome.ts";
import { apply, copyOf, isArray } from "../../core/primordials.ts";
import type { Dialect, DialectKind } from "../dialect.ts";
import { refuseForeignGuard } from "../foreign-guard.ts";
import { Registrations } from "../registrations.ts";
import { Unsupported } from "../unsupported.ts";
import { openclawApi, visibleConfig } from "./api.ts";
import { OpenClawChain } from "./chain.ts";
import { EVENT_TYPES, HOOK_NAMES, hooksFor, isOfService, type PluginHook } from "./events.ts";
import { RunChain } from "./run-chain.ts";

/** OpenClaw's plugin hooks: a plugin with `register(api)`, or a list of `{hookName, handler}`. */
export const openclaw: DialectKind = {
  recognises: (namespace) => {
    const exported = defaultOf(namespace);
    return isPlugin(exported) || isList(exported) || (isObject(exported) && isList(exported.hooks));
  },
  open,
};

function open(environment: GuestEnvironment): Dialect {
  const { init, port } = environment;
  const hooks: PluginHook[] = [];
  const registrations = new Registrations(port);
  /** Parts of OpenClaw's API, and names that no hook here has. */
  const unsupported = new Unsupported(port);
  let loaded = false;
  const matching = (type: string): PluginHook[] => {
    const names: readonly string[] = hooksFor(type);
    return hooks.filter(({ hookName }) => names.includes(hookName)).sort((a, b) => b.priority - a.priority);
  };
  const counts = (): Record<string, number> =>
    Object.fromEntries(EVENT_TYPES.map((type) => [type, Math.min(matching(type).length, MAX_HANDLERS)]));
  const add = (hook: PluginHook): void => {
    hooks.push(hook);
    keepPlace(hook.handler);
    if (loaded) port.message({ t: "events", events: counts() });
  };
  const on = (hookName: unknown, given: unknown, options?: { priority?: unknown; matcher?: unknown }): void => {
    if (typeof given !== "function") throw new TypeError(`the handler of ${String(hookName)} is not a function`);
    const { priority = init.priority, matcher } = options ?? {};
    const handler = matcher === undefined ? given : forTools(given, toolsNamed(matcher, String(hookName)));
    if (typeof priority !== "number" || !Number.isFinite(priority))
      throw new TypeError(`the priority of ${String(hookName)} is not a number`);
    const name = String(hookName);
    if (!HOOK_NAMES.has(name)) unsupported.add(name.slice(0, MAX_UNSUPPORTED_NAME));
    // Those of services are no plugin's to hear.
    if (!isOfService(name)) add({ hookName: name, handler: handler as PluginHook["handler"], priority });
  };

  const config = visibleConfig(init);
  const given = { environment, on, add, registrations, unsupported, config };

  return {
    load(namespace) {
      const exported = defaultOf(namespace);
      const list = isList(exported) ? exported : isObject(exported) && isList(exported.hooks) ? exported.hooks : [];
      const registers = isPlugin(exported) ? (exported.register ?? exported.activate) : undefined;
      for (const hook of copyOf(list)) on(hook.hookName, hook.handler, hook as { priority?: unknown });
      if (typeof exported === "function") return apply(exported, undefined, [openclawApi({}, given)]);
      if (registers) return apply(registers, exported, [openclawApi(exported as object, given)]);
      if (list.length === 0)
        throw failure(
          "LOAD_FAILED",
          "the hook must export a plugin with register(api), or a list of {hookName, handler}",
        );
      return undefined;
    },
    loaded() {
      loaded = true;
      refuseForeignGuard(
        "openclaw",
        hooks.map(({ hookName }) => hookName),
      );
    },
    events: counts,
    unsupported: () => unsupported.names,
    priorityFor: (type) => matching(type)[0]?.priority,
    handle(dispatch) {
      if (dispatch.type === "run") new RunChain(registrations, config, dispatch).next();
      else new OpenClawChain(matching(dispatch.type), dispatch).next();
    },
  };
}

/** The tools that a handler is for, by OpenClaw's names. A list that OpenClaw refuses is refused. */
function toolsNamed(matcher: unknown, hookName: string): readonly string[] {
  const names = isArray(matcher) ? copyOf<unknown>(matcher) : [];
  if (names.length === 0 || !names.every((name) => typeof name === "string" && /^[^\s*?]+$/.test(name)))
    throw new TypeError(`the matcher of ${hookName} is no list of names of tools`);
  return names as string[];
}

const forTools =
  (handler: object, names: readonly string[]) =>
  (event: unknown, context: unknown): unknown =>
    names.includes(String((event as { toolName?: unknown }).toolName))
      ? apply(handler as () => unknown, undefined, [event, context])
      : undefined;

interface Plugin {
  register?(api: object): unknown;
  activate?(api: object): unknown;
}
const isPlugin = (value: unknown): value is Plugin =>
  isObject(value) && (typeof value.register === "function" || typeof value.activate === "function");
const isList = (value: unknown): value is { hookName: unknown; handler: unknown }[] =>
  isArray(value) &&
  value.length > 0 &&
  copyOf(value).every((item) => isObject(item) && "hookName" in item && typeof item.handler === "function");
