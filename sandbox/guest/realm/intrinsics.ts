type React = (value: unknown) => void;

/** Hears what came of work. `turn`: the number that it waits by. */
export interface Settled {
  returned(value: unknown, turn: number): void;
  failed(reason: unknown, turn: number): void;
}

const NativePromise = Promise;
const { apply } = Reflect;
const { withResolvers } = Promise;
const NativeMap = Map;
const { set } = Map.prototype;

/** Built-ins of the realm that evaluates this module, captured before any code of a hook runs. */
export const intrinsics = {
  parse: JSON.parse,
  Promise,
  // V8 lets no realm construct promises of another realm, or call its own `then` on them.
  promiseThen: Promise.prototype.then,
  deferred: (): PromiseWithResolvers<unknown> => apply(withResolvers, NativePromise, []),
  Error,
  EvalError,
  RangeError,
  TypeError,
  /** Whether a value is an error of any realm. */
  isError: Error.isError,
  arrays: Array.prototype,
  objects: Object.prototype,
  /**
   * The reactions to a promise, as functions of this realm. V8 allows code from strings only if the last function that was
   * entered, or called from the microtask queue, is of this realm.
   */
  reactions: (settled: Settled, turn: number): [React, React] => [
    (value) => settled.returned(value, turn),
    (reason) => settled.failed(reason, turn),
  ],
  /** A map of this realm. */
  map: (entries: [string, unknown][]): object => {
    const map = new NativeMap();
    for (const [key, value] of entries) apply(set, map, [key, value]);
    return map;
  },
};
