import type { Verdict } from "../../sandbox/wire/messages.ts";
import type { ErrorCode } from "../base/errors.ts";

/** Why a hook gave no verdict. `summary` completes a sentence that begins with the hook's name. */
export interface Failure {
  code: ErrorCode;
  summary: string;
  /** The end of the summary, if its words are the hook's. */
  said?: string;
  /** The hook's own stack, with positions in its bundle. */
  stack?: string;
  /** Another hook in the same process caused it. */
  shared?: boolean;
  /** The hook was not asked. */
  unsent?: true;
}

export type Outcome = { verdict: Verdict } | { failure: Failure };

/** The verdict of a hook that decided nothing. Each pass is this one. */
export const PASSES: Verdict = Object.freeze(Object.create(null));

export const isPass = (outcome: Outcome): boolean => "verdict" in outcome && outcome.verdict === PASSES;
