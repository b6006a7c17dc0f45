import type { Polyfill } from "../../../wire/lazy-code.ts";
import { asyncFrames } from "../async-frame.ts";
import { exportsOf } from "../lazy-exports.ts";
import type { RealmHost } from "../realm-host.ts";
import type { Timers } from "../timers.ts";
import { AbortController, AbortSignal, addTimeout, DOMException } from "./abort.ts";
import { CustomEvent, Event, EventTarget } from "./event.ts";
import { installJson } from "./json.ts";
import { installLazyGlobals, type Polyfilled } from "./lazy.ts";
import { makeCrypto } from "./random.ts";

/** Adds the globals that hooks expect, and that V8 alone lacks, to `globalThis`. */
export function installGlobals(host: RealmHost, timers: Timers, console: object): void {
  const evaluated = new Map<Polyfill, Polyfilled>();
  const evaluate = (file: Polyfill): Polyfilled => {
    const exports = evaluated.get(file) ?? exportsOf(host.lazyCode(file));
    evaluated.set(file, exports);
    return exports;
  };
  const { now } = Date;
  addTimeout(timers);
  const started = now();
  let last = 0;
  const setTimeout = (callback: unknown, delay: unknown, ...args: unknown[]) =>
    timers.set(callback, delay, args, false);
  const setImmediate = (callback: unknown, ...args: unknown[]) => timers.set(callback, 0, args, false);
  // Many programs sleep with `util.promisify(setTimeout)`.
  define(setTimeout, (delay, value) => new Promise((done) => setTimeout(done, delay, value)));
  define(setImmediate, (value) => new Promise((done) => setImmediate(done, value)));
  const globals: Record<string, unknown> = {
    global: globalThis,
    console,
    setTimeout,
    setInterval: (callback: unknown, delay: unknown, ...args: unknown[]) => timers.set(callback, delay, args, true),
    setImmediate,
    clearTimeout: (handle: unknown) => timers.clear(handle),
    clearInterval: (handle: unknown) => timers.clear(handle),
    clearImmediate: (handle: unknown) => timers.clear(handle),
    queueMicrotask: (callback: () => void) => {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask takes a function");
      const frame = asyncFrames.current();
      Promise.resolve()
        .then(() => asyncFrames.run(frame, callback, undefined, []))
        .catch((thrown: unknown) => host.failed(thrown));
    },
    AbortController,
    AbortSignal,
    Event,
    EventTarget,
    CustomEvent,
    DOMException,
    // Whole milliseconds: a finer clock would help timing attacks on other code in the process.
    performance: Object.freeze({ now: () => (last = Math.max(last, now() - started)), timeOrigin: started }),
    crypto: makeCrypto(host, () => evaluate("web-crypto").subtle),
  };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  }
  installJson();
  installLazyGlobals(evaluate);
}

/** Gives a function with a callback its promise version, which `util.promisify` uses. */
function define(act: object, promised: (...args: unknown[]) => Promise<unknown>): void {
  Object.defineProperty(act, Symbol.for("nodejs.util.promisify.custom"), { value: promised });
}
