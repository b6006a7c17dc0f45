/**
 * `WeakRef` and `FinalizationRegistry` as the language allows them: nothing that one of them refers to is given up before the
 * isolate is. So no code of a hook's runs when the garbage collector does, outside of the hook's own time.
 */
const isTarget = (value: unknown): boolean =>
  (typeof value === "object" && value !== null) || typeof value === "function" || typeof value === "symbol";

// biome-ignore lint/suspicious/noShadowRestrictedNames: it stands in for that one
class WeakRef<T> {
  readonly #target: T;

  constructor(target: T) {
    if (!isTarget(target)) throw new TypeError("WeakRef: invalid target");
    this.#target = target;
  }

  deref(): T {
    return this.#target;
  }

  get [Symbol.toStringTag](): string {
    return "WeakRef";
  }
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: it stands in for that one
class FinalizationRegistry {
  readonly #tokens = new WeakSet<object>();

  constructor(cleanup: unknown) {
    if (typeof cleanup !== "function") throw new TypeError("FinalizationRegistry: cleanup must be callable");
  }

  register(target: unknown, held: unknown, token?: object): void {
    if (!isTarget(target)) throw new TypeError("FinalizationRegistry.prototype.register: invalid target");
    if (target === held)
      throw new TypeError("FinalizationRegistry.prototype.register: target and holdings must not be same");
    if (token !== undefined) this.#tokens.add(token);
  }

  unregister(token: object): boolean {
    return this.#tokens.delete(token);
  }

  get [Symbol.toStringTag](): string {
    return "FinalizationRegistry";
  }
}

export { FinalizationRegistry, WeakRef };
