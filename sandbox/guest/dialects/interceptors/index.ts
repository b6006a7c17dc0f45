import { MAX_HANDLERS } from "../../../wire/messages.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { defaultOf, isObject } from "../../core/exports.ts";
import { keepPlace } from "../../core/handler-place.ts";
import { failure } from "../../core/outcome.ts";
import { apply, copyOf, isArray, realm } from "../../core/primordials.ts";
import {
  createInterceptorRegistry,
  type InterceptorRegistry,
  normalizeToolName,
  onRegistryChange,
} from "../../interceptors/registry.ts";
import type { AnyRegistration, InterceptorName, InterceptorRegistration } from "../../interceptors/types.ts";
import type { Dialect, DialectKind } from "../dialect.ts";
import { InterceptorChain } from "./chain.ts";

/** The interceptor point of each event. */
const POINTS: Readonly<Record<string, InterceptorName>> = {
  tool_call: "tool.before",
  tool_result: "tool.after",
  message: "message.before",
  params: "params.before",
};

/** Most names in the cache of matching registrations. */
const MAX_NAMES = 1000;

const OPENED = Symbol.for("cordon.interceptors.opened");
const globalRegistry = (): InterceptorRegistry | undefined =>
  (realm.get(Symbol.for("cordon.interceptors")) as { registry: InterceptorRegistry } | undefined)?.registry;

/** Keeps where the handler was registered that came last. */
const keepLast = (registry: InterceptorRegistry): void => keepPlace(registry.list().at(-1)?.handler);

/** A registry for a hook's modules, which may register before the hook is loaded. */
export function createPlacedRegistry(): InterceptorRegistry {
  const registry = createInterceptorRegistry();
  onRegistryChange(registry, () => keepLast(registry));
  return registry;
}

/** Interceptors: registrations in the global registry, or a default export of registrations or of a registry. */
export const interceptors: DialectKind = {
  recognises: (namespace) => {
    const exported = defaultOf(namespace);
    return (
      isRegistration(exported) || isRegistry(exported) || isList(exported) || (globalRegistry()?.list().length ?? 0) > 0
    );
  },
  open,
};

function open(environment: GuestEnvironment): Dialect {
  const registries: InterceptorRegistry[] = [];
  const remembered = new Map<string, AnyRegistration[]>();
  let loaded = false;

  const priorityOf = ({ priority }: AnyRegistration): number => priority ?? environment.init.priority;
  const matching = (type: string, name: string): AnyRegistration[] => {
    const point = POINTS[type];
    if (point === undefined) return [];
    const key = `${point} ${name}`;
    let found = remembered.get(key);
    if (!found) {
      found = registries.flatMap((registry) => registry.get(point, name) as AnyRegistration[]);
      found.sort((a, b) => priorityOf(b) - priorityOf(a));
      if (remembered.size >= MAX_NAMES) remembered.clear();
      remembered.set(key, found);
    }
    return found;
  };
  const counts = (): Record<string, number> => {
    const all = registries.flatMap((registry) => registry.list());
    const count = (point: string): number => Math.min(all.filter(({ name }) => name === point).length, MAX_HANDLERS);
    return Object.fromEntries(Object.entries(POINTS).map(([type, point]) => [type, count(point)]));
  };
  const follow = (registry: InterceptorRegistry): void => {
    registries.push(registry);
    onRegistryChange(registry, () => {
      remembered.clear();
      keepLast(registry);
      if (loaded) environment.port.message({ t: "events", events: counts() });
    });
  };

  return {
    load(namespace) {
      const exported = defaultOf(namespace);
      const registry = globalRegistry() ?? createInterceptorRegistry();
      follow(registry);
      realm.set(OPENED, follow);
      if (isRegistry(exported) && exported !== registry) follow(exported);
      for (const registration of isRegistration(exported) ? [exported] : isList(exported) ? copyOf(exported) : [])
        registry.add(registration as InterceptorRegistration);
      return typeof exported === "function" ? apply(exported, undefined, [registry]) : undefined;
    },
    loaded() {
      if (registries.every((one) => one.list().length === 0))
        throw failure("LOAD_FAILED", "the hook registers no interceptor");
      loaded = true;
    },
    events: counts,
    priorityFor: (type, name) => {
      const [first] = matching(type, nameOf(type, name));
      return first && priorityOf(first);
    },
    handle(dispatch) {
      const { event } = dispatch;
      const name = nameOf(event.type, String(event.toolName ?? event.agentId ?? ""));
      new InterceptorChain(matching(event.type, name), dispatch).next();
    },
  };
}

const nameOf = (type: string, name: string): string =>
  type === "tool_call" || type === "tool_result" ? normalizeToolName(name) : name;

const isRegistration = (value: unknown): value is AnyRegistration =>
  isObject(value) && typeof value.handler === "function" && Object.values<unknown>(POINTS).includes(value.name);
const isList = (value: unknown): value is AnyRegistration[] =>
  isArray(value) && value.length > 0 && copyOf(value).every(isRegistration);
const isRegistry = (value: unknown): value is InterceptorRegistry =>
  isObject(value) && ["add", "remove", "get", "list", "clear"].every((method) => typeof value[method] === "function");
