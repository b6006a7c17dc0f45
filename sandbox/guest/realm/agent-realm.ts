/**
 * The agent's own realm, for a trusted hook. Such a hook runs in it with all rights of the agent. The runtime uses the
 * globals that are there already, and adds none.
 */
import { asyncFrames, entry } from "./async-frame.ts";
import { intrinsics } from "./intrinsics.ts";
import type { Realm } from "./realm.ts";
import type { Furniture, RealmHost } from "./realm-host.ts";

/** The agent's own globals, which are Node's. */
type AgentGlobals = Pick<Realm, "AbortController" | "AbortSignal"> & { console: Furniture["logger"] };
const { AbortController, AbortSignal, console } = globalThis as typeof globalThis & AgentGlobals;

const objectText = Object.prototype.toString;

/** What the runtime, its loader and the modules that Cordon offers share: what are globals in a sandbox. */
export const globals: Record<string | symbol, unknown> = Object.create(null);

export const builtins: Realm = {
  ...intrinsics,
  // The oldest supported Node has no `Error.isError`.
  isError: intrinsics.isError ?? ((value): value is Error => Reflect.apply(objectText, value, []) === "[object Error]"),
  AbortController,
  AbortSignal,
  asyncFrames,
  entry,
  get: (key) => globals[key],
  set: (key, value) => {
    globals[key] = value;
  },
  remove: (key) => Reflect.deleteProperty(globals, key),
  furnish(host: RealmHost): Furniture {
    for (const { name, value } of host.offers) globals[name] = value;
    return { tick: () => {}, logger: console };
  },
};
