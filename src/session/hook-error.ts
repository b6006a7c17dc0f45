import type { ErrorCode } from "../base/errors.ts";
import type { Wanted } from "../grants/wanted.ts";

/** What went wrong with a hook, for the listeners of `onError`. */
export interface HookError {
  /** As configured. */
  hookPath: string;
  /** The event's type, or `load`, `crash`, `background` for what happens outside of events. */
  event: string;
  error: string;
  code: ErrorCode;
  /** With positions in the hook's own source, if there is one. */
  stack?: string;
  /** For `NOT_GRANTED`: the grant that would allow it. */
  wanted?: Wanted;
}

/** A use of a power that was not granted. */
export interface Refusal {
  /** The hook's id. */
  hook: string;
  message: string;
  /** The grant that would allow it, if there is one. */
  wanted?: Wanted;
}

/** Whether an outcome is that of a power which was refused. A hook may catch a refusal, and has not failed by it. */
export const isRefusal = (outcome: string): boolean => outcome === "NOT_GRANTED" || outcome === "RATE_LIMITED";

/** An error of a hook as a person reads it. */
export const errorText = ({ hookPath, event, error, code }: HookError): string =>
  `hook ${hookPath} ${isRefusal(code) ? "was refused" : "failed"} in ${event}: ${error}`;

/** Without those that only say again what an error in an event said: one that ends its hook is also a crash. */
export const withoutRepeats = (errors: readonly HookError[]): HookError[] =>
  errors.filter(
    (one) =>
      one.event !== "crash" ||
      !errors.some(
        ({ event, hookPath, error, code }) =>
          event !== "crash" && hookPath === one.hookPath && error === one.error && code === one.code,
      ),
  );
