/** Captured before `eval` is taken away. Runs no text but the runtime's own. */
// biome-ignore lint/security/noGlobalEval: the polyfills are text of our own
const evaluate = globalThis.eval;

const NAMES = ["URL", "URLSearchParams", "structuredClone", "atob", "btoa", "TextEncoder", "TextDecoder"];

const define = (name: string, value: unknown): void => {
  Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
};

/**
 * Defines the globals of `polyfills.ts`, compiled together when the first is read: an isolate that needs none of them
 * starts in half the time and holds 1 MB less. `source`: their text, fetched then.
 */
export function installLazyGlobals(source: () => string): void {
  const waiting = new Set(NAMES);
  const settleAll = (): void => {
    // The polyfills look for the platform's own while they are evaluated: they must not find themselves.
    for (const name of waiting) Reflect.deleteProperty(globalThis, name);
    const polyfills = evaluate(`(() => {${source()}\nreturn cordonPolyfills})()`) as Record<string, unknown>;
    for (const name of waiting) define(name, polyfills[name]);
    waiting.clear();
  };
  for (const name of NAMES) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: false,
      get() {
        settleAll();
        return (globalThis as Record<string, unknown>)[name];
      },
      set(value) {
        waiting.delete(name);
        define(name, value);
      },
    });
  }
}
