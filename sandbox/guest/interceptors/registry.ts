import { type AnyRegistration, type InterceptorName, type InterceptorRegistration, KNOWN_TOOL_NAMES } from "./types.ts";

const NAMES: readonly InterceptorName[] = ["tool.before", "tool.after", "message.before", "params.before"];

/** Other names of tools that the rest of the world knows by one. */
const ALIASES: Readonly<Record<string, string>> = { bash: "exec", "apply-patch": "apply_patch" };

/** A tool's name as interceptors see it. */
export function normalizeToolName(name: string): string {
  const plain = name.trim().toLowerCase();
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] as string) : plain;
}

/** An ordered list of interceptors. */
export interface InterceptorRegistry {
  /** Throws for a registration that could never run: a typing mistake in a matcher would else remove a gate in silence. */
  add<N extends InterceptorName>(registration: InterceptorRegistration<N>): void;
  /** Takes out the first of this id. */
  remove(id: string): void;
  /**
   * Those that match, by falling priority, then in the order of registration. `matchContext`: the tool's name for tool
   * events, the agent's id for the others. Without it matchers are not asked.
   */
  get<N extends InterceptorName>(name: N, matchContext?: string): InterceptorRegistration<N>[];
  list(): AnyRegistration[];
  clear(): void;
}

/** Hears of every change of a registry. */
const CHANGED = Symbol.for("cordon.interceptors.changed");

export function createInterceptorRegistry(): InterceptorRegistry {
  const entries: AnyRegistration[] = [];
  const registry: InterceptorRegistry & { [CHANGED]?: () => void } = {
    add(registration) {
      entries.push(checked(registration as never));
      registry[CHANGED]?.();
    },
    remove(id) {
      const at = entries.findIndex((entry) => entry.id === id);
      if (at < 0) return;
      entries.splice(at, 1);
      registry[CHANGED]?.();
    },
    get(name, matchContext) {
      const found = entries.filter((entry) => entry.name === name && matches(entry, matchContext));
      return found.sort((a, b) => priorityOf(b) - priorityOf(a)) as never;
    },
    list: () => [...entries],
    clear() {
      entries.length = 0;
      registry[CHANGED]?.();
    },
  };
  return registry;
}

/** Calls `listener` whenever a registration comes or goes. */
export function onRegistryChange(registry: InterceptorRegistry, listener: () => void): void {
  Object.defineProperty(registry, CHANGED, { value: listener, configurable: true });
}

const priorityOf = ({ priority }: AnyRegistration): number => priority ?? 0;

function checked(registration: AnyRegistration): AnyRegistration {
  if (typeof registration !== "object" || registration === null)
    throw new TypeError("registry.add takes a registration");
  const { id, name, priority, handler, toolMatcher, agentMatcher } = registration;
  if (typeof id !== "string" || id === "") throw new TypeError("an interceptor needs an id");
  const fault = (what: string): Error => new Error(`Interceptor "${id}": ${what}`);
  if (!NAMES.includes(name)) throw fault(`name ${String(name)} is none of ${NAMES.join(", ")}`);
  if (typeof handler !== "function") throw fault("handler is not a function");
  if (priority !== undefined && !Number.isFinite(priority)) throw fault("priority is not a number");
  for (const matcher of [toolMatcher, agentMatcher])
    if (matcher !== undefined && !(matcher instanceof RegExp)) throw fault(`${String(matcher)} is not a RegExp`);
  const known = [...KNOWN_TOOL_NAMES];
  if (toolMatcher && !known.some((tool) => stateless(toolMatcher).test(tool)))
    throw fault(`toolMatcher ${toolMatcher} does not match any known tool name. Known tools: ${known.join(", ")}`);
  return registration;
}

function matches(entry: AnyRegistration, context: string | undefined): boolean {
  const ofTools = entry.name === "tool.before" || entry.name === "tool.after";
  const matcher = ofTools ? entry.toolMatcher : entry.agentMatcher;
  if (!matcher || context === undefined) return true;
  return stateless(matcher).test(ofTools ? normalizeToolName(context) : context);
}

/** With `g` or `y` an expression answers differently each time it is asked. */
const stateless = (matcher: RegExp): RegExp => new RegExp(matcher.source, matcher.flags.replace(/[gy]/g, ""));
