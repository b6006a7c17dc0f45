import type { Dispatch } from "../../core/dispatch.ts";

/**
 * A `ctx`, or its `ui`, with a private field that no code of the hook can read. A WeakMap would keep what belongs to each event
 * until the next collection of the whole heap.
 */
export class Linked {
  static #latest: Dispatch;
  readonly #dispatch: Dispatch;

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
    Linked.#latest = dispatch;
  }

  static dispatch(context: unknown): Dispatch {
    const linked: object = Object(context);
    return #dispatch in linked ? linked.#dispatch : Linked.#latest;
  }
}

/**
 * The dispatch that a `ctx` or its `ui` is for; for anything else the one that came last: in pi these functions can be taken out,
 * and wrapped. Nobody has them who was not given a `ctx`.
 */
export const dispatchOf = Linked.dispatch;

/** Makes these members all that a hook finds on objects of the class, besides their own. */
export function inherit(kind: { readonly prototype: object }, members: object): void {
  Reflect.deleteProperty(kind.prototype, "constructor");
  Object.setPrototypeOf(kind.prototype, members);
  Object.freeze(kind.prototype);
}
