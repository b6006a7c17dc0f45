import { POLYFILLS, type Polyfill } from "../../../wire/lazy-code.ts";

/** Large globals, by their names. */
export type Polyfilled = Readonly<Record<string, unknown>>;

/**
 * Defines the globals of {@link POLYFILLS}. Those of one file are made together when the first of them is read.
 *
 * @param evaluate returns what a file exports
 */
export function installLazyGlobals(evaluate: (file: Polyfill) => Polyfilled): void {
  let isEvaluating = false;
  const make = (file: Polyfill): Polyfilled => {
    isEvaluating = true;
    try {
      return evaluate(file);
    } finally {
      isEvaluating = false;
    }
  };
  for (const [file, names] of Object.entries(POLYFILLS)) {
    let made: Polyfilled | undefined;
    for (const name of names) {
      const define = (value: unknown): void => {
        Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
      };
      const get = (): unknown => {
        // Polyfills look for the platform's own globals: they must find neither themselves nor each other.
        if (isEvaluating) return undefined;
        made ??= make(file as Polyfill);
        // A module that took this function may call it when the hook has another global in its place.
        if (Object.getOwnPropertyDescriptor(globalThis, name)?.get === get) define(made[name]);
        return made[name];
      };
      Object.defineProperty(globalThis, name, {
        configurable: true,
        enumerable: false,
        get,
        set: define,
      });
    }
  }
}
