import { POLYFILLS, type Polyfill } from "../../../wire/polyfills.ts";

/** Captured before `eval` is removed. Evaluates only the runtime's own text. */
// biome-ignore lint/security/noGlobalEval: the polyfills are text of our own
const evaluate = globalThis.eval;

type Made = Readonly<Record<string, unknown>>;

/**
 * Defines the globals of {@link POLYFILLS}. Those of one file are made together when the first of them is read.
 *
 * @param source returns the text of a file
 */
export function installLazyGlobals(source: (file: Polyfill) => string): void {
  let isEvaluating = false;
  const make = (file: Polyfill): Made => {
    isEvaluating = true;
    try {
      return evaluate(`(() => {${source(file)}\nreturn cordonPolyfills})()`);
    } finally {
      isEvaluating = false;
    }
  };
  for (const [file, names] of Object.entries(POLYFILLS)) {
    let made: Made | undefined;
    for (const name of names) {
      const define = (value: unknown): void => {
        Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
      };
      Object.defineProperty(globalThis, name, {
        configurable: true,
        enumerable: false,
        get() {
          // Polyfills look for the platform's own globals: they must find neither themselves nor each other.
          if (isEvaluating) return undefined;
          made ??= make(file as Polyfill);
          define(made[name]);
          return made[name];
        },
        set: define,
      });
    }
  }
}
