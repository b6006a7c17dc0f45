import type { Dispatch } from "../../core/dispatch.ts";
import type { GuestEnvironment } from "../dialect.ts";

/** What a `ctx` knows besides its own properties. */
export interface Inside {
  readonly environment: GuestEnvironment;
  readonly dispatch: Dispatch;
}

/** Its constructor returns the object that it is given, so that a subclass adds its fields to that object. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: see above
    return object;
  }
}

/**
 * Adds a private field to a `ctx` and its `ui`, which no code of the hook can read. A WeakMap would keep what belongs to
 * each event until the next collection of the whole heap.
 */
class Linked extends Given {
  readonly #inside: Inside;

  constructor(context: object, inside: Inside) {
    super(context);
    this.#inside = inside;
  }

  static inside(context: unknown): Inside {
    const linked: object = Object(context);
    if (!(#inside in linked)) throw new TypeError("this function of ctx was taken out of ctx: call it as ctx.name()");
    return linked.#inside;
  }
}

/** Links a `ctx`, or its `ui`, to what their later functions need. Freeze it afterwards. */
export function link<Context extends object>(context: Context, inside: Inside): Context {
  new Linked(context, inside);
  return context;
}

/** What a `ctx` or its `ui` was linked to. Throws for anything else. */
export const insideOf = Linked.inside;
