import type { GuestError } from "../../wire/messages.ts";
import { isArray, parse, realm } from "./primordials.ts";

/** Longest texts of an error that leaves the isolate. A stack of 20 frames fits. */
const MAX_MESSAGE = 4000;
const MAX_STACK = 8000;

/** An error of Cordon's own. A hook can recognise it by its `code`. */
export function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Parses the JSON text of an object. Throws an error that names `subject` if it is not an object. */
export function plainObject(text: string | undefined, subject: string): Record<string, unknown> {
  const value = text === undefined ? undefined : parse(text);
  if (typeof value !== "object" || value === null || isArray(value)) {
    throw failure("BAD_RESULT", `${subject} was replaced by something that is not an object`);
  }
  return value;
}

/**
 * Turns a value that a hook threw into text, inside the isolate. Reading `message` may run the hook's code, which must
 * happen on the hook's time and in the hook's realm.
 */
export function describe(thrown: unknown): GuestError {
  try {
    // True for errors of both realms: the runtime can fail, too.
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
  const end = text.charCodeAt(length - 2);
  // Leaves no half of a surrogate pair at the end.
  return `${text.slice(0, end >= 0xd800 && end < 0xdc00 ? length - 2 : length - 1)}…`;
}
