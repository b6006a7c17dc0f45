import type { GuestError } from "../../wire/messages.ts";
import { charCodeAt, isArray, parse, realm, slice } from "./primordials.ts";

/** Longest texts that leave the isolate in an error: a stack of 20 frames fits. */
const MAX_MESSAGE = 4000;
const MAX_STACK = 8000;

/** An error of Cordon's own that a hook can tell from others by `code`. */
export function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** The object that a JSON text is, or an error that names what the hook put in its place. */
export function plainObject(text: string | undefined, what: string): Record<string, unknown> {
  const value = text === undefined ? undefined : parse(text);
  if (typeof value !== "object" || value === null || isArray(value)) {
    throw failure("BAD_RESULT", `${what} was replaced by something that is not an object`);
  }
  return value;
}

/**
 * Turns whatever a hook threw into text, inside the isolate: reading `message` may run the hook's code, which must
 * happen on the hook's time and in the hook's realm.
 */
export function describe(thrown: unknown): GuestError {
  try {
    // The runtime's own fault is one, too.
    if (realm.isError(thrown)) {
      const { message, stack, code } = thrown as { message: unknown; stack: unknown; code?: unknown };
      return {
        message: cut(String(message), MAX_MESSAGE),
        stack: cut(String(stack), MAX_STACK),
        ...(typeof code === "string" ? { code: cut(code, 64) } : {}),
      };
    }
    return { message: cut(String(thrown), MAX_MESSAGE) };
  } catch {
    return { message: "the hook threw a value that cannot be shown" };
  }
}

export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = charCodeAt(text, length - 2);
  // No half of a character is left at the end.
  return `${slice(text, 0, end >= 0xd800 && end < 0xdc00 ? length - 2 : length - 1)}…`;
}
