import type { GuestError } from "../../sandbox/wire/messages.ts";
import { type ErrorCode, errorCode } from "../base/errors.ts";
import { cleanLine, cleanText, cut, inQuotes } from "../base/text.ts";
import type { Failure, Outcome } from "../supervisor/outcome.ts";
import type { Hook } from "./hook.ts";
import { waysOn, wayWithout } from "./remedies.ts";

/** Longest text of a hook that a person or a model is shown. */
export const MAX_HOOK_TEXT = 2000;

/** pi's text for a block without a reason. */
export const DEFAULT_REASON = "Tool execution was blocked by a hook";

/** Codes that the guest half gives to its own errors. The hook threw every other error. */
const GUEST_CODES = new Set<ErrorCode>(["TIMEOUT", "BAD_RESULT", "LOAD_FAILED", "NOT_GRANTED", "RATE_LIMITED"]);

export function codeOf(error: GuestError): ErrorCode {
  const code = errorCode(error.code, "HOOK_THREW");
  return GUEST_CODES.has(code) ? code : "HOOK_THREW";
}

/** Why a hook gave no usable answer: it threw (`thrown`), or something happened to it (`failure`). */
export type Trouble = { failure: Failure } | { thrown: GuestError };

/** The trouble with an outcome, if there is any. */
export function troubleOf(outcome: Outcome): Trouble | undefined {
  if ("failure" in outcome) return { failure: outcome.failure };
  const error = outcome.verdict.errors?.[0];
  if (!error) return undefined;
  const code = codeOf(error);
  return code === "TIMEOUT" || code === "BAD_RESULT"
    ? {
        failure: {
          code,
          summary: error.message,
          said: error.message,
          ...(error.stack === undefined ? {} : { stack: error.stack }),
        },
      }
    : { thrown: error };
}

/** The reason of a block after a failure: which hook, what happened, and the way out. `task`: what the hook had to do. */
export const failureReason = (hook: Hook, failure: Failure, task = "judge this call"): string =>
  cleanLine(
    `hook ${hook.name} cannot ${task}: ${failure.summary} (${failure.code}); ${wayOut(hook, failure)}`,
    MAX_HOOK_TEXT,
  );

/** Most of a hook's words in a question of Cordon's. */
const MAX_SAID = 200;

/** The same as a question of Cordon's has it: what the hook says of it stands in quotation marks. */
export function failureQuestion(hook: Hook, failure: Failure): string {
  const { summary, said = "" } = failure;
  if (said === "") return failureReason(hook, failure);
  const words = inQuotes(said.length > MAX_SAID ? `${cut(said, MAX_SAID)}…` : said);
  return failureReason(hook, { ...failure, summary: `${summary.slice(0, -said.length)}${words}` });
}

function wayOut(hook: Hook, { code }: Failure): string {
  if (hook.state === "pending") return `${TO_GO_ON}${hook.remedies.accept}`;
  // A hook that was never accepted blocks nothing: of those that do, only a policy's are not accepted.
  const isForbidden = code === "NOT_ACCEPTED";
  // One that crashed is restarted by itself, until it crashed too often.
  const ways = waysOn(hook, isForbidden);
  // Its author is who reads this, and a restart alone would fail again.
  if (code === "LOAD_FAILED" && hook.isDown && hook.origin.kind !== "installed" && !hook.isNowhere)
    return `${TO_GO_ON}mend it, then ${ways}`;
  if (isForbidden || hook.isDown || hook.lacksGuard || hook.isStuck) return `${TO_GO_ON}${ways}`;
  const out = wayWithout(hook);
  if (isOfCode(code)) return `${TO_GO_ON}mend its code${out && ` or ${out}`}`;
  return `${RUNS}${out && `; without it: ${out}`}`;
}

/** Whether it is the hook's code that failed: the same call may fail again, and no restart helps. */
export const isOfCode = (code: string): boolean => code === "BAD_RESULT" || code === "HOOK_THREW";

const TO_GO_ON = "to go on: ";
const RUNS = "it runs again: try once more";

/** The reason of a block after a failure, without the way out as it was then. */
export const withoutWayOut = (reason: string): string => reason.replace(WAY_OUT, "");

const WAY_OUT = new RegExp(`; (${TO_GO_ON}|${RUNS}).*$`, "s");

/** The reason of a block after a throw, as pi words it: an Error's own message, else the text. */
export function thrownReason(error: GuestError): string {
  const text = error.stack === undefined ? `Hook failed, blocking execution: ${error.message}` : error.message;
  return cleanText(text, MAX_HOOK_TEXT) || DEFAULT_REASON;
}

/** Why a hook did not do something that blocks nothing: its own error's message, or the failure. */
export const reasonOf = (hook: Hook, trouble: Trouble, task: string): string =>
  "failure" in trouble
    ? failureReason(hook, trouble.failure, task)
    : cleanText(trouble.thrown.message, MAX_HOOK_TEXT) || `hook ${hook.name} failed`;
