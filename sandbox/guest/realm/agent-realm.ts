/**
 * The agent's own realm, for a trusted hook. Such a hook runs in it with all rights of the agent. The runtime uses the
 * globals that are there already, and adds none.
 */
import { asyncFrames } from "./async-frame.ts";
import { intrinsics } from "./intrinsics.ts";
import type { Realm } from "./realm.ts";
import type { Furniture, RealmHost } from "./realm-host.ts";

/** The agent's own globals, which are Node's. */
type AgentGlobals = Pick<Realm, "AbortController" | "AbortSignal"> & { console: Furniture["logger"] };
const { AbortController, AbortSignal, console } = globalThis as typeof globalThis & AgentGlobals;

const objectText = Object.prototype.toString;

/** The values that the runtime and its loader share, by name. */
const names = new Map<string | symbol, unknown>();

export const builtins: Realm = {
  ...intrinsics,
  // The oldest supported Node has no `Error.isError`.
  isError: intrinsics.isError ?? ((value): value is Error => Reflect.apply(objectText, value, []) === "[object Error]"),
  AbortController,
  AbortSignal,
  asyncFrames,
  get: (key) => names.get(key),
  set: (key, value) => {
    names.set(key, value);
  },
  remove: (key) => names.delete(key),
  furnish(host: RealmHost): Furniture {
    for (const { name, value } of host.offers) names.set(name, value);
    return { tick: () => {}, logger: console };
  },
};
