import type { Dispatch } from "../../core/dispatch.ts";

/**
 * A `ctx`, or its `ui`, with a private field that no code of the hook can read. A WeakMap would keep what belongs to each event
 * until the next collection of the whole heap.
 */
export class Linked {
  readonly #dispatch: Dispatch;

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
  }

  static dispatch(context: unknown): Dispatch {
    const linked: object = Object(context);
    if (!(#dispatch in linked)) throw new TypeError("this function of ctx was taken out of ctx: call it as ctx.name()");
    return linked.#dispatch;
  }
}

/** The dispatch that a `ctx` or its `ui` is for. Throws for anything else. */
export const dispatchOf = Linked.dispatch;

/** Makes these members all that a hook finds on objects of the class, besides their own. */
export function inherit(kind: { readonly prototype: object }, members: object): void {
  Reflect.deleteProperty(kind.prototype, "constructor");
  Object.setPrototypeOf(kind.prototype, members);
  Object.freeze(kind.prototype);
}
