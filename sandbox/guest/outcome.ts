import type { GuestError } from "../protocol.ts";
import { charCodeAt, NativeError, slice } from "./primordials.ts";

/** Longest texts that leave the isolate in an error: a stack of 20 frames fits. */
const MAX_MESSAGE = 4000;
const MAX_STACK = 8000;

/** An error of Cordon's own that a hook can tell from others by `code`. */
export function failure(code: string, message: string): Error {
  return Object.assign(new NativeError(message), { code });
}

/**
 * Turns whatever a hook threw into text, inside the isolate: reading `message` may run the hook's code, which must
 * happen on the hook's time and in the hook's realm.
 */
export function describe(thrown: unknown): GuestError {
  try {
    if (thrown instanceof NativeError) {
      const code = (thrown as { code?: unknown }).code;
      return {
        message: cut(String(thrown.message), MAX_MESSAGE),
        stack: cut(String(thrown.stack), MAX_STACK),
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
