type React = (value: unknown) => void;

const NativePromise = Promise;
const { apply } = Reflect;
const { withResolvers } = Promise;

/** Built-ins of the realm that evaluates this, as they are before any code of a hook's. */
export const intrinsics = {
  parse: JSON.parse,
  Promise,
  // V8 lets no realm construct the promises of another, nor call `then` of its own on them.
  promiseThen: Promise.prototype.then,
  deferred: (): PromiseWithResolvers<unknown> => apply(withResolvers, NativePromise, []),
  Error,
  EvalError,
  RangeError,
  TypeError,
  /** Whether a value is an error, of whichever realm. */
  isError: Error.isError,
  arrays: Array.prototype,
  /**
   * The two as functions of this realm: V8 allows code from strings, the polyfills' too, only where a function of this realm
   * was entered, or called by the queue of promises, last.
   */
  reactions: (done: React, failed: React): [React, React] => [(value) => done(value), (reason) => failed(reason)],
  /** An empty object of this realm. */
  object: (): object => ({}),
};
