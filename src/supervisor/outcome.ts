import type { Verdict } from "../../sandbox/wire/messages.ts";
import type { ErrorCode } from "../base/errors.ts";

/** Why a hook gave no verdict. `summary` ends a sentence that begins with the hook's name. */
export interface Failure {
  code: ErrorCode;
  summary: string;
  /** As the hook threw it, in terms of its bundle. */
  stack?: string;
  /** Another hook in the same process is to blame. */
  shared?: boolean;
}

export type Outcome = { verdict: Verdict } | { failure: Failure };
