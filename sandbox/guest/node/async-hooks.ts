/**
 * `node:async_hooks` for hooks: `AsyncLocalStorage` and `AsyncResource`. Async functions of a bundle that imports this
 * module are compiled to generators and `then` (see `src/bundle/worker.ts`), so that one `then` sees every continuation.
 */
import type { AsyncFrame } from "../realm/async-frame.ts";
import { fault, wrongType } from "./fault.ts";
import { host, notOffered } from "./host.ts";

const frames = host.asyncFrames;

/** A reaction of a promise, which runs in the frame that `then` was called in. */
function carried(react: unknown): unknown {
  if (typeof react !== "function") return react;
  const frame = frames.current();
  return (value: unknown) => frames.run(frame, react, undefined, [value]);
}

const { then: nativeThen } = Promise.prototype;
// biome-ignore lint/suspicious/noThenProperty: the promises' own, which V8 and the bundle's helpers call
Object.defineProperty(Promise.prototype, "then", {
  value: function then(this: unknown, onFulfilled?: unknown, onRejected?: unknown) {
    return Reflect.apply(nativeThen, this, [carried(onFulfilled), carried(onRejected)]);
  },
  writable: true,
  configurable: true,
});

const { resolve: nativeResolve } = Promise;
Object.defineProperty(Promise, "resolve", {
  value: function resolve(this: unknown, value?: unknown) {
    return Reflect.apply(nativeResolve, this, [this === Promise ? inFrame(value) : value]);
  },
  writable: true,
  configurable: true,
});

/** Wraps an object with a `then` of its own, which V8 calls later. Promises of V8 stay what they are. */
function inFrame(value: unknown): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || value instanceof Promise)
    return value;
  const { then } = value as { then?: unknown };
  if (typeof then !== "function") return value;
  const frame = frames.current();
  // biome-ignore lint/suspicious/noThenProperty: a thenable for V8
  return { then: (...reactions: unknown[]) => frames.run(frame, then, value, reactions) };
}

/** V8's own waits natively: its mapper would lose the frame. */
Object.defineProperty(Array, "fromAsync", {
  value: async function fromAsync(
    this: unknown,
    items: AsyncIterable<unknown> | Iterable<unknown> | ArrayLike<unknown>,
    mapper?: (item: unknown, at: number) => unknown,
    self?: unknown,
  ): Promise<unknown> {
    if (mapper !== undefined && typeof mapper !== "function")
      throw new TypeError(`${String(mapper)} is not a function`);
    const list: Record<number, unknown> & { length: number } =
      typeof this === "function" ? new (this as new () => unknown[])() : [];
    let length = 0;
    const iterable = Symbol.asyncIterator in Object(items) || Symbol.iterator in Object(items);
    for await (const item of iterable ? (items as Iterable<unknown>) : Array.from(items as ArrayLike<unknown>)) {
      const value = mapper ? await Reflect.apply(mapper, self, [item, length]) : item;
      Object.defineProperty(list, length++, { value, writable: true, enumerable: true, configurable: true });
    }
    list.length = length;
    return list;
  },
  writable: true,
  configurable: true,
});

function checkFunction(value: unknown, name: string): void {
  if (typeof value !== "function") throw wrongType(name, "of type function");
}

let lastId = 1;

/** Keeps the frame in which it was created, for functions that are called later. */
export class AsyncResource {
  readonly #frame: AsyncFrame = frames.current();
  readonly #id = ++lastId;
  readonly #trigger: number;

  constructor(type: string, options: number | { triggerAsyncId?: number } = {}) {
    if (typeof type !== "string") throw wrongType("type", "of type string");
    const trigger = typeof options === "number" ? options : (options?.triggerAsyncId ?? 1);
    if (!Number.isSafeInteger(trigger) || trigger < -1)
      throw fault(RangeError, "ERR_INVALID_ASYNC_ID", `Invalid triggerAsyncId value: ${String(trigger)}`);
    this.#trigger = trigger;
  }

  static bind(act: (...args: never[]) => unknown, type?: string, self?: unknown): (...args: unknown[]) => unknown {
    return new AsyncResource(type || act.name || "bound-anonymous-fn").bind(act, self);
  }

  bind(act: (...args: never[]) => unknown, self?: unknown): (...args: unknown[]) => unknown {
    checkFunction(act, "fn");
    const frame = this.#frame;
    const bound = function (this: unknown, ...args: unknown[]): unknown {
      return frames.run(frame, act, self === undefined ? this : self, args);
    };
    return Object.defineProperty(bound, "length", { value: act.length, configurable: true });
  }

  runInAsyncScope(act: (...args: never[]) => unknown, self?: unknown, ...args: unknown[]): unknown {
    return frames.run(this.#frame, act, self, args);
  }

  /** Nothing listens: `createHook` is not offered. */
  emitDestroy(): this {
    return this;
  }

  asyncId(): number {
    return this.#id;
  }

  triggerAsyncId(): number {
    return this.#trigger;
  }
}

/** Values that follow the calls that a function makes, and what these wait for. */
export class AsyncLocalStorage<Store = unknown> {
  readonly #default: Store | undefined;
  readonly #name: string;

  constructor(options: { defaultValue?: Store; name?: unknown } = {}) {
    if (typeof options !== "object" || options === null || Array.isArray(options))
      throw wrongType("options", "of type object");
    this.#default = options.defaultValue;
    this.#name = options.name === undefined ? "" : String(options.name);
  }

  static bind(act: (...args: never[]) => unknown): (...args: unknown[]) => unknown {
    return AsyncResource.bind(act);
  }

  /** A function that calls another one in the present frame. */
  static snapshot(): (act: (...args: never[]) => unknown, ...args: unknown[]) => unknown {
    return AsyncResource.bind((act: (...args: unknown[]) => unknown, ...args: unknown[]) => act(...args));
  }

  get name(): string {
    return this.#name;
  }

  getStore(): Store | undefined {
    const frame = frames.current();
    return frame?.has(this) ? (frame.get(this) as Store | undefined) : this.#default;
  }

  enterWith(store: Store | undefined): void {
    frames.enter(new Map(frames.current()).set(this, store));
  }

  run(store: Store | undefined, act: (...args: never[]) => unknown, ...args: unknown[]): unknown {
    const before = this.getStore();
    if (Object.is(before, store)) return Reflect.apply(act, null, args);
    this.enterWith(store);
    try {
      return Reflect.apply(act, null, args);
    } finally {
      this.enterWith(before);
    }
  }

  exit(act: (...args: never[]) => unknown, ...args: unknown[]): unknown {
    return this.run(undefined, act, ...args);
  }

  /** Until the end of a block that declares it with `using`. */
  withScope(store: Store | undefined): { dispose(): void; [Symbol.dispose](): void } {
    const before = this.getStore();
    let open = true;
    const dispose = (): void => {
      if (open) this.enterWith(before);
      open = false;
    };
    this.enterWith(store);
    return { dispose, [Symbol.dispose]: dispose };
  }

  /** Takes its value out of the present frame, also for everything that already runs in it. */
  disable(): void {
    (frames.current() as Map<object, unknown> | undefined)?.delete(this);
  }
}

const WHY = "V8 tells a hook nothing of what waits; AsyncLocalStorage and AsyncResource are there";
export const createHook = notOffered("async_hooks", "createHook", WHY);
export const executionAsyncId = notOffered("async_hooks", "executionAsyncId", WHY);
export const executionAsyncResource = notOffered("async_hooks", "executionAsyncResource", WHY);
export const triggerAsyncId = notOffered("async_hooks", "triggerAsyncId", WHY);

export default {
  AsyncLocalStorage,
  AsyncResource,
  createHook,
  executionAsyncId,
  executionAsyncResource,
  triggerAsyncId,
};
