import { type AnyRegistration, type InterceptorName, type InterceptorRegistration, KNOWN_TOOL_NAMES } from "./types.ts";

const NAMES: readonly InterceptorName[] = ["tool.before", "tool.after", "message.before", "params.before"];

/** Tools that have other names elsewhere, and the one name that interceptors see. */
const ALIASES: Readonly<Record<string, string>> = { bash: "exec", "apply-patch": "apply_patch" };

/** A tool's name as interceptors see it. */
export function normalizeToolName(name: string): string {
  const plain = name.trim().toLowerCase();
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] as string) : plain;
}

/** An ordered list of interceptors. */
export interface InterceptorRegistry {
  /** Throws for a registration that could never run: a typing mistake in a matcher would silently disable a gate. */
  add<N extends InterceptorName>(registration: InterceptorRegistration<N>): void;
  /** Removes the first registration with this id. */
  remove(id: string): void;
  /**
   * Returns the registrations that match: highest priority first, then in the order of registration. `matchContext`:
   * the tool's name for tool events, the agent's id for the others. Without it, matchers are ignored.
   */
  get<N extends InterceptorName>(name: N, matchContext?: string): InterceptorRegistration<N>[];
  list(): AnyRegistration[];
  clear(): void;
}

/**
 * The symbol of the runtime's own {@link createInterceptorRegistry} in a hook's realm. No hook's code can change it.
 */
export const CREATE = Symbol.for("cordon.interceptors.create");
const offered = (globalThis as { [CREATE]?: () => InterceptorRegistry })[CREATE];

/** The listener for changes of each registry. */
const listeners = new WeakMap<InterceptorRegistry, () => void>();

export const createInterceptorRegistry: () => InterceptorRegistry = offered ?? createHere;

function createHere(): InterceptorRegistry {
  const entries: AnyRegistration[] = [];
  const changed = (): void => listeners.get(registry)?.();
  const registry: InterceptorRegistry = Object.freeze<InterceptorRegistry>({
    add(registration) {
      entries.push(checked(registration));
      changed();
    },
    remove(id) {
      const at = entries.findIndex((entry) => entry.id === id);
      if (at < 0) return;
      entries.splice(at, 1);
      changed();
    },
    get(name, matchContext) {
      const isWanted = (entry: AnyRegistration): entry is AnyRegistration & InterceptorRegistration<typeof name> =>
        entry.name === name && matches(entry, matchContext);
      return entries.filter(isWanted).sort((a, b) => priorityOf(b) - priorityOf(a));
    },
    list: () => [...entries],
    clear() {
      entries.length = 0;
      changed();
    },
  });
  return registry;
}

/** Calls `listener` whenever a registration is added or removed. */
export function onRegistryChange(registry: InterceptorRegistry, listener: () => void): void {
  listeners.set(registry, listener);
}

const priorityOf = (entry: AnyRegistration): number => field(entry, "priority") ?? 0;

/** Reads a property of a registration from the object or its class, never from `Object.prototype`. */
function field<Name extends keyof AnyRegistration>(
  entry: AnyRegistration,
  name: Name,
): AnyRegistration[Name] | undefined {
  if (Object.hasOwn(entry, name)) return entry[name];
  const prototype = Object.getPrototypeOf(entry);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null ? entry[name] : undefined;
}

function checked(given: unknown): AnyRegistration {
  if (typeof given !== "object" || given === null) throw new TypeError("registry.add takes a registration");
  const registration = given as AnyRegistration;
  const { id, name, handler } = registration;
  const priority = field(registration, "priority");
  const toolMatcher = field(registration, "toolMatcher");
  const agentMatcher = field(registration, "agentMatcher");
  if (typeof id !== "string" || id === "") throw new TypeError("an interceptor needs an id");
  const fault = (text: string): Error => new Error(`Interceptor "${id}": ${text}`);
  if (!NAMES.includes(name)) throw fault(`name ${String(name)} is not one of ${NAMES.join(", ")}`);
  if (typeof handler !== "function") throw fault("handler is not a function");
  if (priority !== undefined && !Number.isFinite(priority)) throw fault("priority is not a number");
  for (const matcher of [toolMatcher, agentMatcher])
    if (matcher !== undefined && !isExpression(matcher)) throw fault(`${String(matcher)} is not a RegExp`);
  const known = [...KNOWN_TOOL_NAMES];
  if (toolMatcher && !known.some((tool) => stateless(toolMatcher).test(tool)))
    throw fault(`toolMatcher ${toolMatcher} does not match any known tool name. Known tools: ${known.join(", ")}`);
  return registration;
}

function matches(entry: AnyRegistration, context: string | undefined): boolean {
  const ofTools = entry.name === "tool.before" || entry.name === "tool.after";
  const matcher = field(entry, ofTools ? "toolMatcher" : "agentMatcher");
  if (!matcher || context === undefined) return true;
  return stateless(matcher).test(ofTools ? normalizeToolName(context) : context);
}

/** Copies an expression without the flags `g` and `y`, which make each result depend on the one before. */
function stateless(matcher: RegExp): RegExp {
  const flags = Object.entries(FLAGS).flatMap(([flag, name]) => (read(matcher, name) ? [flag] : []));
  return new RegExp(read(matcher, "source") as string, flags.join(""));
}

const FLAGS = { i: "ignoreCase", m: "multiline", s: "dotAll", u: "unicode", v: "unicodeSets" };

/** Reads a property of an expression of any realm with V8's own getter, since the hook may change the prototype. */
const read = (matcher: RegExp, name: string): unknown =>
  Reflect.apply(Object.getOwnPropertyDescriptor(RegExp.prototype, name)?.get as () => unknown, matcher, []);

function isExpression(value: unknown): value is RegExp {
  try {
    // `RegExp.prototype` itself has a source, too, but its flags are `undefined`.
    return typeof read(value as RegExp, "source") === "string" && read(value as RegExp, "global") !== undefined;
  } catch {
    return false;
  }
}
