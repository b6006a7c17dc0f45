import { failure } from "../core/outcome.ts";

/**
 * The part of an agent's object that is offered to hooks.
 *
 * @param missing what any other property is; it may throw
 */
export const offeredPart = (offered: object, missing: (key: string) => unknown): object =>
  new Proxy(Object.freeze(offered), {
    get(target, key, receiver) {
      if (typeof key === "symbol" || key in target || key === "then" || key === "toJSON")
        return Reflect.get(target, key, receiver);
      return missing(key);
    },
  });

/** The error for a part that is not offered. */
export const notOffered = (part: string, why: string): Error =>
  failure("LOAD_FAILED", `${part} cannot be offered to a hook: ${why}`);
