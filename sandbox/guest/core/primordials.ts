/**
 * The built-ins that the runtime uses. Its own are in a realm where no hook's code runs, and are frozen: see
 * `harden.ts`. Objects for a hook, and objects of a hook, belong to the hook's realm. A hook may replace the built-ins
 * of that realm, so the ones here were captured before its code ran.
 */
import { jsonReader } from "../../wire/read-json.ts";
import type { Settled } from "../realm/intrinsics.ts";
import type { Realm } from "../realm/realm.ts";

/** The hook's realm, from `isolate.ts`. The build replaces this name with the closure's argument. */
declare const cordonRealm: Realm;

export const realm: Realm = cordonRealm;

/** Creates objects in the hook's realm. */
export const parse = jsonReader(realm.parse, (made) =>
  Object.setPrototypeOf(made, Array.isArray(made) ? realm.arrays : realm.objects),
);
/** For the runtime's own values: none of them can have a hook's `toJSON`. */
export const { parse: parseHere, stringify } = JSON;
export const { apply } = Reflect;
export const { isArray } = Array;
export const now = Date.now;

const PROMISES = Promise.prototype;
const { then } = PROMISES;
const { getPrototypeOf } = Reflect;

/** Reads an own property of a value from the hook's realm, whose prototypes the hook may have changed. */
export const own = (holder: object, name: string): unknown =>
  Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;

/** Calls `done` or `failed` when `work` settles. */
export const settle = (work: unknown, done: (value: unknown) => void, failed: (reason: unknown) => void): void =>
  settleTo(work, { returned: done, failed }, 0);

/**
 * Tells `to` when `work` settles. For a promise, this uses V8's own `then` and never one that the hook
 * defined, so that a hook cannot make a rejected promise look fulfilled. The `then` of other thenables is called once.
 */
export function settleTo(work: unknown, to: Settled, turn: number): void {
  if ((typeof work !== "object" || work === null) && typeof work !== "function") {
    soon(() => to.returned(work, turn));
    return;
  }
  const reactions = realm.reactions(to, turn);
  try {
    apply(getPrototypeOf(work) === PROMISES ? then : realm.promiseThen, work, reactions);
    return;
  } catch {
    // Not a promise, or one whose constructor the hook replaced. The result of the latter cannot be trusted.
  }
  try {
    if (!isPlainPromises()) throw new TypeError("the hook replaced the constructor of its promises");
    const own = (work as { then?: unknown }).then;
    if (typeof own === "function") apply(own, work, reactions);
    else soon(() => to.returned(work, turn));
  } catch (thrown) {
    to.failed(thrown, turn);
  }
}

const READY = Promise.resolve();

/** Calls `act` in a new microtask: a hundred handlers that answer at once must not nest their stacks. */
export function soon(act: () => void): void {
  apply(then, READY, realm.reactions({ returned: act, failed: act }, 0));
}

/** Whether the `constructor` of promises in the hook's realm is unchanged. V8 reads it. */
const isPlainPromises = (): boolean =>
  Object.getOwnPropertyDescriptor(realm.Promise.prototype, "constructor")?.value === realm.Promise;

/** The result of the hook's code, as a promise of the runtime's realm. Awaiting it calls no code of the hook. */
export const settled = (work: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => settle(work, resolve, reject));

/** Inherits what the hook gives to all objects of its realm. Each event looks at it, so there is no function for that. */
export const everyObject = realm.arrays as { readonly toJSON?: unknown; readonly then?: unknown };

/**
 * For when all objects of the hook's realm have a `toJSON` or a `then`. A changed input could have the same JSON as an
 * unchanged one, and the result of an async handler would be lost.
 */
export function refuseUnreadable(): never {
  const name = everyObject.toJSON === undefined ? "then" : "toJSON";
  throw Object.assign(new TypeError(`the hook gave all objects a ${name}: its decision cannot be read`), {
    code: "BAD_RESULT",
  });
}

/** The JSON of a value from the hook's realm. */
export function serialize(value: unknown): string {
  if (everyObject.toJSON !== undefined || everyObject.then !== undefined) refuseUnreadable();
  return stringify(value);
}

/** A rejected promise of the hook's realm. */
export function rejected(reason: unknown): Promise<never> {
  const { promise, reject } = realm.deferred();
  reject(reason);
  return promise as Promise<never>;
}

/** Ignores the rejection of a promise. */
export const ignoreRejection = (work: unknown): void =>
  settle(
    work,
    () => {},
    () => {},
  );

/** The result of a call for the hook: a promise of the hook's realm, which is rejected if the function throws. */
export const offered = <Args extends unknown[]>(act: (...args: Args) => unknown, args: Args): Promise<unknown> =>
  hookPromise(attempt(act, args));

/** The result of `work`, as a promise of the hook's realm. */
export function hookPromise(work: unknown): Promise<unknown> {
  const { promise, resolve, reject } = realm.deferred();
  settle(work, resolve, reject);
  return promise;
}

/** The result of a call. If it throws, a rejected promise. */
export function attempt<Args extends unknown[]>(act: (...args: Args) => unknown, args: Args): unknown {
  try {
    return act(...args);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** Copies the elements of a list of the hook's realm: the hook may have replaced the list's methods. */
export const copyOf = <Item>(list: ArrayLike<Item>): Item[] =>
  Array.from({ length: list.length }, (_, at) => list[at] as Item);

/** Defines properties without calling setters of the prototypes of `target`. */
export function define<Target extends object>(target: Target, members: object): Target {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  return target;
}

/** Makes a new object of the runtime's one of the hook's realm. */
export const forHook = <Members extends object>(members: Members): Members =>
  Object.setPrototypeOf(members, realm.objects) as Members;
