/**
 * Removes what would let a hook run code at moments that are not its own, share memory, or run text that its digest
 * does not cover. This is hygiene for honest hooks and work for dishonest ones: the boundary is the process.
 */
export function harden(options: { eval: boolean }): void {
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef", "console"]) {
    Reflect.deleteProperty(globalThis, name);
  }
  Object.defineProperty(Error, "prepareStackTrace", { value: undefined, writable: false, configurable: false });
  Object.defineProperty(Error, "stackTraceLimit", { value: 20, writable: true, configurable: false });
  if (!options.eval) forbidCodeFromStrings();
}

/** `eval` and the constructors of the four kinds of function. */
function forbidCodeFromStrings(): void {
  const refuse = (): never => {
    throw new EvalError(
      "code from strings is off in Cordon: a hook's digest could not cover it (the grant's limits.eval turns it on)",
    );
  };
  const hidden = { writable: false, enumerable: false, configurable: false } as const;
  Object.defineProperty(globalThis, "eval", { ...hidden, value: refuse });
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const kind of kinds) {
    const prototype = Object.getPrototypeOf(kind);
    const stand = function refused(): never {
      return refuse();
    };
    Object.defineProperty(stand, "prototype", { value: prototype, writable: false });
    Object.defineProperty(stand, "name", { value: prototype.constructor.name });
    Object.defineProperty(prototype, "constructor", { ...hidden, value: stand });
    if (prototype === Function.prototype) Object.defineProperty(globalThis, "Function", { ...hidden, value: stand });
  }
}
