/**
 * Removes what would let a hook run code at moments that are not its own, share memory, or run text that its digest
 * does not cover. This is hygiene for honest hooks and work for dishonest ones: the boundary is the process.
 */
export function harden(options: { eval: boolean }): void {
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef", "console"]) {
    Reflect.deleteProperty(globalThis, name);
  }
  // By its full name: in the runtime, `Error` alone is that of the hook's realm.
  const { Error: OwnError } = globalThis;
  Object.defineProperty(OwnError, "prepareStackTrace", { value: undefined, writable: false, configurable: false });
  Object.defineProperty(OwnError, "stackTraceLimit", { value: 20, writable: true, configurable: false });
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

/**
 * Freezes the built-ins of this realm, statics and prototypes: a hook reaches them through any object of the runtime's
 * that it is handed, and must not change what the runtime's own code does.
 */
export function freezeBuiltins(): void {
  // V8 makes it when it is looked at, and it is as large as all the others: the runtime has no use for it.
  Reflect.deleteProperty(globalThis, "Temporal");
  const names = Reflect.ownKeys(globalThis).filter((name) => typeof name === "string" && /^[A-Z]/.test(name));
  for (const name of names) {
    const value = (globalThis as Record<string | symbol, unknown>)[name];
    if (typeof value !== "object" && typeof value !== "function") continue;
    Object.freeze(value);
    const prototype = typeof value === "function" ? value.prototype : undefined;
    if (typeof prototype === "object") Object.freeze(prototype);
  }
  for (const nameless of [
    ...[[], new Map(), new Set(), ""].map((list) => Object.getPrototypeOf(list[Symbol.iterator]())),
    Object.getPrototypeOf("".matchAll(/x/g)),
    Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
    ...[async () => {}, function* () {}, async function* () {}].map((kind) => Object.getPrototypeOf(kind)),
    ...[function* () {}, async function* () {}].map((kind) => Object.getPrototypeOf(kind).prototype),
    Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype),
    Object.getPrototypeOf(Uint8Array),
    Object.getPrototypeOf(Uint8Array.prototype),
  ])
    Object.freeze(nameless);
  // The prototype of functions is one, too.
  Object.freeze(Function.prototype);
}
