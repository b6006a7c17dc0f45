/**
 * The hook's realm: the global object that its bundle runs on. The runtime stands in another realm of the same isolate,
 * whose built-ins no hook can change: what a hook replaces here is its own, and the runtime's rules do not run on it.
 */
import { harden } from "../core/harden.ts";
import { BRIDGE } from "./bridge.ts";
import { AbortController, AbortSignal } from "./globals/abort.ts";
import { makeConsole } from "./globals/console.ts";
import { installGlobals } from "./globals/install.ts";
import { intrinsics } from "./intrinsics.ts";
import { Timers } from "./timers.ts";

/** What the realm asks of the runtime. */
export interface RealmHost {
  readonly eval: boolean;
  readonly cwd: string;
  readonly machine: object;
  /** What modules in a bundle find on the global object, by name. */
  readonly offers: readonly { readonly name: symbol; readonly value: unknown }[];
  log(level: "debug" | "info" | "warn" | "error", text: string, at: string | undefined): void;
  /** Something failed outside of any event, such as a timer's callback. */
  failed(thrown: unknown): void;
  /** Asks to be entered again in `ms`; a negative number disarms. */
  wake(ms: number): void;
  /** Random bytes as hexadecimal text. */
  random(bytes: number): string;
  /** The text of `polyfills.ts`, bundled. */
  polyfills(): string;
  sync(name: string, args: readonly unknown[]): unknown;
  call(name: string, args: readonly unknown[], signal: AbortSignal | undefined): Promise<unknown>;
}

/** What the runtime has of the realm once its globals stand. */
export interface Furniture {
  /** Runs the timers that are due. */
  tick(): void;
  /** Four of the console's functions, as they were before a hook could replace them. */
  readonly logger: Readonly<Record<"debug" | "info" | "warn" | "error", (...parts: unknown[]) => void>>;
}

/** The realm's built-ins as they are before any code of the hook's, and the way to its global object. */
export const builtins = {
  ...intrinsics,
  AbortController,
  AbortSignal,
  get: (key: string | symbol): unknown => (globalThis as Record<string | symbol, unknown>)[key],
  set: (key: string | symbol, value: unknown): void => {
    Object.defineProperty(globalThis, key, { value, configurable: true });
  },
  remove: (key: string | symbol): boolean => Reflect.deleteProperty(globalThis, key),
  /** Puts in what Node's globals and modules need, and takes out what a hook must not have. */
  furnish(host: RealmHost): Furniture {
    const timers = new Timers(host);
    const console = makeConsole(host);
    harden({ eval: host.eval });
    installGlobals(host, timers, console);
    Object.defineProperty(globalThis, BRIDGE, {
      value: Object.freeze({
        cwd: host.cwd,
        machine: host.machine,
        sync: host.sync,
        call: (name: string, args: readonly unknown[], signal?: object) =>
          host.call(name, args, signal instanceof AbortSignal ? signal : undefined),
        random: host.random,
      }),
    });
    const { debug, info, warn, error } = console as Furniture["logger"];
    for (const { name, value } of host.offers) Object.defineProperty(globalThis, name, { value });
    return { tick: () => timers.tick(), logger: { debug, info, warn, error } };
  },
};

export type Realm = typeof builtins;
