import { keepWebAssembly } from "./web-assembly.ts";

/**
 * Removes built-ins that let a hook run code outside of its own time, share memory, or run text that its digest does
 * not cover. This protects honest hooks from mistakes and makes attacks harder. The security boundary is the process.
 */
export function harden(options: { readonly eval: boolean; readonly wasm: boolean }): void {
  if (options.wasm) keepWebAssembly();
  else Reflect.deleteProperty(globalThis, "WebAssembly");
  for (const name of ["SharedArrayBuffer", "Atomics", "FinalizationRegistry", "WeakRef", "console"]) {
    Reflect.deleteProperty(globalThis, name);
  }
  // Read from `globalThis`: in the runtime, the name `Error` means the one of the hook's realm.
  const { Error: OwnError } = globalThis;
  Object.defineProperty(OwnError, "prepareStackTrace", { value: undefined, writable: false, configurable: false });
  Object.defineProperty(OwnError, "stackTraceLimit", { value: 20, writable: true, configurable: false });
  if (!options.eval) forbidCodeFromStrings();
}

/** Replaces `eval` and the constructors of the four kinds of functions with functions that throw. */
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
    const replacement = function refused(): never {
      return refuse();
    };
    Object.defineProperty(replacement, "prototype", { value: prototype, writable: false });
    Object.defineProperty(replacement, "name", { value: prototype.constructor.name });
    Object.defineProperty(prototype, "constructor", { ...hidden, value: replacement });
    if (prototype === Function.prototype)
      Object.defineProperty(globalThis, "Function", { ...hidden, value: replacement });
  }
}

/**
 * Freezes the built-ins of this realm, statics and prototypes. A hook can reach them through any object that it
 * receives from the runtime, and must not change what the runtime's own code does.
 */
export function freezeBuiltins(): void {
  // V8 creates `Temporal` on first access. It is as large as all the others together, and the runtime does not use it.
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
  // `Function.prototype` is a function, so the loop above skips it.
  Object.freeze(Function.prototype);
}
