/**
 * What the runtime uses of JavaScript. Its own built-ins stand in a realm that no hook's code runs in, and are frozen: see
 * `harden.ts`. What is made for a hook, and what it makes, is of the hook's realm, whose built-ins the hook may replace:
 * the ones here were taken before its code ran.
 */
import type { Realm } from "../realm/realm.ts";

/** The hook's realm, as `isolate.ts` hands it in: a name that the build puts the closure's argument for. */
declare const cordonRealm: Realm;

export const realm: Realm = cordonRealm;

/** Makes objects of the hook's realm. */
export const { parse } = realm;
/** For what the runtime made: nothing of it has a `toJSON` of a hook's making. */
export const { parse: parseHere, stringify } = JSON;
export const { apply } = Reflect;
export const { isArray } = Array;
export const now = Date.now;

export const slice = (text: string, from: number, to?: number): string => text.slice(from, to);
export const charCodeAt = (text: string, at: number): number => text.charCodeAt(at);
export const indexOf = (text: string, part: string): number => text.indexOf(part);

const { then } = Promise.prototype;

/** An own property of a value that the hook's realm made: its prototypes may say anything. */
export const own = (holder: object, name: string): unknown =>
  Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;

/**
 * Hands what `work` comes to to one of the two. A promise is asked by V8 itself: a `then` that the hook put in its place is
 * never called, so what rejects cannot be made to look fulfilled. Any other thenable is, once.
 */
export function settle(work: unknown, done: (value: unknown) => void, failed: (reason: unknown) => void): void {
  if ((typeof work !== "object" || work === null) && typeof work !== "function") {
    soon(() => done(work));
    return;
  }
  const reactions = realm.reactions(done, failed);
  try {
    apply(work instanceof Promise ? then : realm.promiseThen, work, reactions);
    return;
  } catch {
    // No promise, or one whose constructor the hook has replaced: then nothing that it says is taken for its word.
  }
  try {
    if (!isPlainPromises()) throw new TypeError("the hook replaced the constructor of its promises");
    const own = (work as { then?: unknown }).then;
    if (typeof own === "function") apply(own, work, reactions);
    else soon(() => done(work));
  } catch (thrown) {
    failed(thrown);
  }
}

const READY = Promise.resolve();

/** A hundred handlers that answer at once must not stand on each other's stacks. */
export function soon(act: () => void): void {
  apply(then, READY, realm.reactions(act, act));
}

/** The constructor that promises of the hook's realm have, as V8 asks for it. */
const isPlainPromises = (): boolean =>
  Object.getOwnPropertyDescriptor(realm.Promise.prototype, "constructor")?.value === realm.Promise;

/** A promise of the runtime's for what the hook's code comes to. After waiting for one no code of the hook's is called. */
export const settled = (work: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => settle(work, resolve, reject));

/**
 * Throws while all objects of the hook's realm have a `toJSON` or a `then`: a changed input would then have the text of an
 * unchanged one, and what an async handler returned would be lost.
 */
export function checkReadable(): void {
  const { toJSON, then } = realm.arrays as { toJSON?: unknown; then?: unknown };
  if (toJSON === undefined && then === undefined) return;
  const name = toJSON === undefined ? "then" : "toJSON";
  throw Object.assign(new TypeError(`the hook gave all objects a ${name}: what it decided cannot be read`), {
    code: "BAD_RESULT",
  });
}

/** The JSON of what stands in the hook's realm. */
export function serialize(value: unknown): string {
  checkReadable();
  return stringify(value);
}

/** A rejected promise of the hook's realm. */
export function rejected(reason: unknown): Promise<never> {
  const { promise, reject } = realm.deferred();
  reject(reason);
  return promise as Promise<never>;
}

/** Takes a promise whose rejection nobody needs to hear of. */
export const unheard = (work: unknown): void =>
  settle(
    work,
    () => {},
    () => {},
  );

/** A function as the hook is offered it: it answers with a promise of the hook's realm, and what it throws rejects that. */
export const offer =
  <Args extends unknown[]>(act: (...args: Args) => unknown): ((...args: Args) => Promise<unknown>) =>
  (...args) =>
    hookPromise(attempt(act, args));

/** A promise of the hook's realm for what `work` comes to. */
export function hookPromise(work: unknown): Promise<unknown> {
  const { promise, resolve, reject } = realm.deferred();
  settle(work, resolve, reject);
  return promise;
}

/** What a call comes to: what it throws, as a rejection. */
export function attempt<Args extends unknown[]>(act: (...args: Args) => unknown, args: Args): unknown {
  try {
    return act(...args);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** The members of a list of the hook's realm, whose own methods may be the hook's. */
export const copyOf = <Item>(list: ArrayLike<Item>): Item[] =>
  Array.from({ length: list.length }, (_, at) => list[at] as Item);

/** Defines properties, whatever setters stand above `target`. */
export function define<Target extends object>(target: Target, members: object): Target {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  return target;
}

/** An object of the hook's realm with these members. */
export const forHook = <Members extends object>(members: Members): Members =>
  Object.defineProperties(realm.object(), Object.getOwnPropertyDescriptors(members)) as Members;
