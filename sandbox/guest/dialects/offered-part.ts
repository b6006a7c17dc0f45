import { failure } from "../core/outcome.ts";

/**
 * The part of an agent's object that is offered to hooks. Reading another property throws an error that says so.
 *
 * @param instead what another property is, if it is something
 */
export const offeredPart = (offered: object, called: string, why: string, instead?: (key: string) => unknown): object =>
  new Proxy(Object.freeze(offered), {
    get(target, key, receiver) {
      if (typeof key === "symbol" || key in target || key === "then" || key === "toJSON")
        return Reflect.get(target, key, receiver);
      const other = instead?.(key);
      if (other !== undefined) return other;
      throw failure("LOAD_FAILED", `${called}.${key} cannot be offered to a hook: ${why}`);
    },
  });
