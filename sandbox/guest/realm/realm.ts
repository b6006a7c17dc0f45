/**
 * The hook's realm: the global object of its bundle. The runtime is in another realm of the same isolate, whose
 * built-ins no hook can change. A hook can replace the built-ins of its own realm, so the runtime's checks do not use
 * them.
 */
import type { Library } from "../../wire/lazy-code.ts";
import { harden } from "../core/harden.ts";
import { asyncFrames, entry } from "./async-frame.ts";
import { BRIDGE, type Bridge } from "./bridge.ts";
import { AbortController, AbortSignal } from "./globals/abort.ts";
import { makeConsole } from "./globals/console.ts";
import { installGlobals } from "./globals/install.ts";
import { intrinsics } from "./intrinsics.ts";
import { exportsOf } from "./lazy-exports.ts";
import type { Furniture, RealmHost } from "./realm-host.ts";
import { Timers } from "./timers.ts";

const { stringify } = JSON;

/** The realm's built-ins, captured before any code of the hook runs, and access to its global object. */
export const builtins = {
  ...intrinsics,
  AbortController,
  AbortSignal,
  asyncFrames,
  entry,
  get: (key: string | symbol): unknown => (globalThis as Record<string | symbol, unknown>)[key],
  set: (key: string | symbol, value: unknown, writable = false): void => {
    Object.defineProperty(globalThis, key, { value, writable, configurable: true });
  },
  remove: (key: string | symbol): boolean => Reflect.deleteProperty(globalThis, key),
  /** Adds what Node's globals and modules need, and removes what a hook must not have. */
  furnish(host: RealmHost): Furniture {
    const timers = new Timers(host);
    const console = makeConsole(host);
    harden(host);
    installGlobals(host, timers, console);
    Object.defineProperty(globalThis, BRIDGE, {
      value: Object.freeze({
        cwd: host.cwd,
        machine: host.machine,
        sync: host.sync,
        call: (name: string, args: readonly unknown[], signal?: object) =>
          host.call(name, args, signal instanceof AbortSignal ? signal : undefined),
        random: host.random,
        reached: host.reached,
        agentTool: host.agentTool,
        derive: (request: unknown) => host.derive(stringify(request)),
        bytesOfText: host.bytesOfText,
        textOfBytes: host.textOfBytes,
        library: libraries(host),
        asyncFrames,
        asyncGenerator: async function* () {},
      }),
    });
    const { debug, info, warn, error } = console as Furniture["logger"];
    for (const { name, value } of host.offers) Object.defineProperty(globalThis, name, { value });
    return { tick: () => timers.tick(), logger: { debug, info, warn, error } };
  },
};

/** Evaluates each library once. */
function libraries({ lazyCode }: RealmHost): Bridge["library"] {
  const made = new Map<Library, object>();
  return (name, given) => {
    const known = made.get(name) ?? exportsOf(lazyCode(name), given);
    made.set(name, known);
    return known as never;
  };
}

export type Realm = typeof builtins;
