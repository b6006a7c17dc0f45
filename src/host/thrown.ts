import { isNativeError, isProxy } from "node:util/types";
import { attemptOr } from "../base/attempt.ts";
import { messageOf } from "../base/errors.ts";

/** What a tool threw, as hooks see it and as the agent gets it. */
interface Thrown {
  text: string;
  error: unknown;
}

/** Names that say nothing but what kind of error it is. */
const PLAIN_NAME = /^\w{1,60}$/;

/**
 * Agents tell the model an error by its message or by `toString`, and any other value by `JSON.stringify`. If these could say more than
 * the message, an error with the text that hooks see takes its place.
 */
export function readThrown(thrown: unknown): Thrown {
  if (isPlain(thrown)) return { text: messageOf(thrown), error: copyOf(thrown) };
  const text = isError(thrown) || typeof thrown === "string" ? String(thrown) : asJson(thrown);
  return { text, error: new Error(text) };
}

/** What goes round in a circle is told by its kind alone, as are functions. */
const asJson = (thrown: unknown): string =>
  attemptOr(() => JSON.stringify(thrown), undefined) ?? Object.prototype.toString.call(thrown);

const isError = (thrown: unknown): thrown is Error => isNativeError(thrown) || thrown instanceof Error;

/** Of the same class, with the same code and the like: the tool may still have its own, and could change what it says. */
function copyOf(thrown: Error): Error {
  const { message, name } = thrown;
  const copy =
    thrown instanceof DOMException
      ? new DOMException(message, name)
      : (Object.setPrototypeOf(new Error(message), Object.getPrototypeOf(thrown)) as Error);
  for (const own of ["stack", "cause"] as const)
    if (Object.hasOwn(thrown, own))
      Object.defineProperty(copy, own, { value: thrown[own], writable: true, configurable: true });
  return Object.assign(copy, thrown);
}

const isPlain = (thrown: unknown): thrown is Error =>
  isError(thrown) &&
  !isProxy(thrown) &&
  !(Symbol.toPrimitive in thrown) &&
  thrown.toString === Error.prototype.toString &&
  ["message", "name"].every((name) => isData(thrown, name)) &&
  PLAIN_NAME.test(thrown.name) &&
  !("toJSON" in thrown);

/** It says the same each time it is read. */
function isData(value: object, name: string): boolean {
  for (let holder: object | null = value; holder; holder = Object.getPrototypeOf(holder)) {
    const property = Object.getOwnPropertyDescriptor(holder, name);
    // Its message is kept where nobody changes it.
    if (property) return "value" in property || holder === DOMException.prototype;
  }
  return true;
}
