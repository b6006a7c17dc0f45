/**
 * The agent's own realm, for a trusted hook, which runs on it with all its rights: the runtime is offered what stands there
 * already, and puts nothing on the global object.
 */
import { intrinsics } from "./intrinsics.ts";
import type { Furniture, Realm, RealmHost } from "./realm.ts";

/** The agent's own globals, which are Node's. */
type AgentGlobals = Pick<Realm, "AbortController" | "AbortSignal"> & { console: Furniture["logger"] };
const { AbortController, AbortSignal, console } = globalThis as typeof globalThis & AgentGlobals;

const objectText = Object.prototype.toString;

/** What the runtime and its loader tell each other by name. */
const names = new Map<string | symbol, unknown>();

export const builtins: Realm = {
  ...intrinsics,
  // The oldest Node that an agent may run on has no such function.
  isError: intrinsics.isError ?? ((value): value is Error => Reflect.apply(objectText, value, []) === "[object Error]"),
  AbortController,
  AbortSignal,
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
