import { MAX_HANDLERS } from "../../../wire/messages.ts";
import { strandsAgent } from "../../agents/strands-sdk/agent.ts";
import { SDK, type Sdk } from "../../agents/strands-sdk/sdk.ts";
import type { GuestEnvironment } from "../../core/environment.ts";
import { defaultOf, isObject, type Namespace } from "../../core/exports.ts";
import { keepPlace } from "../../core/handler-place.ts";
import { failure } from "../../core/outcome.ts";
import { apply, attempt, copyOf, isArray, realm, settle } from "../../core/primordials.ts";
import type { Dialect, DialectKind } from "../dialect.ts";
import { type Callback, StrandsChain } from "./chain.ts";

/** The Strands event of each canonical event, and whether its callbacks run in reverse order. */
const EVENTS = {
  tool_call: ["BeforeToolCallEvent", false],
  tool_result: ["AfterToolCallEvent", true],
  agent_start: ["BeforeInvocationEvent", false],
  agent_end: ["AfterInvocationEvent", true],
} as const satisfies Record<string, readonly [keyof Sdk, boolean]>;

interface Added {
  readonly event: unknown;
  readonly callback: Callback;
  readonly order: number;
}

/**
 * Strands plugins: objects `{name, initAgent(agent)}` or classes of them, as default export, in a list, or by any name.
 */
export const strands: DialectKind = { recognises: (namespace) => pluginsOf(namespace).length > 0, open };

function open(environment: GuestEnvironment): Dialect {
  const { init, port } = environment;
  const sdk = realm.get(SDK) as Sdk | undefined;
  let hooks: readonly Added[] = [];
  let loaded = false;

  /** Lower orders first. Equal orders run in the order of registration, or in reverse. */
  const matching = (type: string): Added[] => {
    if (!sdk || !Object.hasOwn(EVENTS, type)) return [];
    const [name, reversed] = EVENTS[type as keyof typeof EVENTS];
    const found = hooks.filter(({ event }) => event === sdk[name]);
    return (reversed ? found.reverse() : found).sort((a, b) => a.order - b.order);
  };
  const counts = (): Record<string, number> =>
    Object.fromEntries(Object.keys(EVENTS).map((type) => [type, Math.min(matching(type).length, MAX_HANDLERS)]));
  const change = (next: readonly Added[]): void => {
    hooks = next;
    if (loaded) port.message({ t: "events", events: counts() });
  };
  const agent = strandsAgent(init, (event, callback, options) => {
    if (typeof callback !== "function") throw new TypeError("agent.addHook takes an event class and a callback");
    if (!sdk || !Object.values(EVENTS).some(([name]) => sdk[name] === event))
      throw new TypeError(`agent.addHook cannot offer ${nameOf(event)} to a hook`);
    const { order = 0 } = options ?? {};
    if (typeof order !== "number" || !Number.isFinite(order))
      throw new TypeError("the order of a hook is not a number");
    const added: Added = { event, callback: callback as Callback, order };
    change([...hooks, added]);
    keepPlace(callback);
    return () => change(hooks.filter((one) => one !== added));
  });

  return {
    load(namespace) {
      const plugins = pluginsOf(namespace);
      if (plugins.length === 0)
        throw failure("LOAD_FAILED", "the hook must export a plugin: an object or class with initAgent(agent)");
      return new Promise<void>((resolve, reject) => {
        const next = (at: number): void => {
          const plugin = plugins[at];
          if (!plugin) {
            resolve();
            return;
          }
          if (typeof plugin.getTools === "function") {
            const text = "getTools is ignored: a hook cannot add tools to its agent";
            port.message({ t: "log", level: "warn", text });
          }
          settle(
            attempt(() => apply(plugin.initAgent, plugin, [agent]), []),
            () => next(at + 1),
            reject,
          );
        };
        next(0);
      });
    },
    loaded() {
      loaded = true;
    },
    events: counts,
    priorityFor(type) {
      const [first] = matching(type);
      return first && init.priority - first.order;
    },
    handle(dispatch) {
      const callbacks = () => matching(dispatch.type).map(({ callback }) => callback);
      new StrandsChain({ callbacks, agent, sdk: sdk as Sdk }, dispatch).next();
    },
  };
}

interface Plugin {
  initAgent(agent: object): unknown;
  getTools?: unknown;
}

/** The plugins that a bundle exports: by default, or else by any name. */
function pluginsOf(namespace: Namespace): Plugin[] {
  const exported = defaultOf(namespace);
  const candidates = isArray(exported)
    ? copyOf<unknown>(exported)
    : [exported, ...("default" in namespace ? [] : Object.values(namespace))];
  return candidates.flatMap((candidate) => {
    if (isObject(candidate) && typeof candidate.initAgent === "function")
      return [candidate as typeof candidate & Plugin];
    const Class = candidate as { prototype?: { initAgent?: unknown } } | undefined;
    if (typeof candidate === "function" && typeof Class?.prototype?.initAgent === "function")
      return [Reflect.construct(candidate, []) as Plugin];
    return [];
  });
}

const nameOf = (event: unknown): string =>
  typeof event === "function" && event.name !== "" ? event.name : "a value that is not an event of @strands-agents/sdk";
