import { failure } from "../core/outcome.ts";

/** The part of an agent's object that is offered to hooks. Reading another property throws an error that says so. */
export const offeredPart = (offered: object, called: string, why: string): object =>
  new Proxy(Object.freeze(offered), {
    get(target, key, receiver) {
      if (typeof key === "symbol" || key in target || key === "then" || key === "toJSON")
        return Reflect.get(target, key, receiver);
      throw failure("LOAD_FAILED", `${called}.${key} cannot be offered to a hook: ${why}`);
    },
  });
