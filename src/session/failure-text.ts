import type { GuestError } from "../../sandbox/wire/messages.ts";
import { type ErrorCode, errorCode } from "../base/errors.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { Failure, Outcome } from "../supervisor/outcome.ts";
import type { Hook } from "./hook.ts";

/** Longest text of a hook's that is shown or told to a model. */
export const MAX_HOOK_TEXT = 2000;

/** pi's words for a block without a reason. */
export const DEFAULT_REASON = "Tool execution was blocked by a hook";

/** Codes that the guest half gives to errors of its own; every other error is one the hook threw. */
const GUEST_CODES = new Set<ErrorCode>(["TIMEOUT", "BAD_RESULT", "LOAD_FAILED", "NOT_GRANTED", "RATE_LIMITED"]);

export function codeOf(error: GuestError): ErrorCode {
  const code = errorCode(error.code, "HOOK_THREW");
  return GUEST_CODES.has(code) ? code : "HOOK_THREW";
}

/** Why a hook gave no usable answer, if it did not. Its own throw is told apart from what happened to it. */
export function troubleOf(outcome: Outcome): { failure: Failure } | { thrown: GuestError } | undefined {
  if ("failure" in outcome) return { failure: outcome.failure };
  const error = outcome.verdict.errors?.[0];
  if (!error) return undefined;
  const code = codeOf(error);
  return code === "TIMEOUT" || code === "BAD_RESULT"
    ? { failure: { code, summary: error.message } }
    : { thrown: error };
}

/** The reason of a block that a failure made: which hook, what happened, and the way out. */
export function failureReason(hook: Hook, failure: Failure): string {
  const ways = hook.state === "pending" ? "cordon accept" : `cordon restart ${hook.id} or cordon remove ${hook.id}`;
  return cleanLine(
    `hook ${hook.name} cannot judge this call: ${failure.summary} (${failure.code}); to go on: ${ways}`,
    MAX_HOOK_TEXT,
  );
}

/** The reason of a block that a throw made, in pi's words: an Error's own message, else the text. */
export function thrownReason(error: GuestError): string {
  const text = error.stack === undefined ? `Hook failed, blocking execution: ${error.message}` : error.message;
  return cleanText(text, MAX_HOOK_TEXT) || DEFAULT_REASON;
}
