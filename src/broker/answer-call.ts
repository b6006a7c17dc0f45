import type { SyncFailure } from "../../sandbox/wire/messages.ts";
import { messageOf } from "../base/errors.ts";
import { jsonEndingWith } from "../base/large-value.ts";
import type { Hosting } from "../supervisor/hosting.ts";

/** A request that failed: an error, or what one would say. */
export interface FailedCall {
  readonly error: { readonly code?: unknown; readonly message: string };
}

/** The answer to a request. */
export type CallAnswer = { value: unknown } | FailedCall;

/** What was thrown, as an error: an agent's own services may reject with anything. */
export const failureOf = (thrown: unknown): FailedCall["error"] => {
  const { code } = Object(thrown) as { code?: unknown };
  return { code, message: thrown instanceof Error ? thrown.message : messageOf(thrown) };
};

/** What a hook hears of an error. The codes are Cordon's own, and those of Node's file system and network, which hooks know. */
export const told = ({ code, message }: FailedCall["error"]): SyncFailure["error"] => ({
  message,
  ...(typeof code === "string" ? { code } : {}),
});

/** Answers a call of an isolate. A value that does not fit a frame, or is not JSON, becomes an error for the hook. */
export function answerCall(hosting: Hosting, id: string, answer: CallAnswer): void {
  if ("error" in answer) {
    refuse(hosting, id, answer.error);
    return;
  }
  try {
    const json = jsonEndingWith(answer.value, (value) => ({ t: "reply", reply: { id, type: "RAW", value } }));
    hosting.supervisor.pass(hosting.isolate, json);
  } catch (error) {
    refuse(hosting, id, new Error(`the answer could not be passed on: ${messageOf(error)}`));
  }
}

function refuse({ isolate, supervisor }: Hosting, id: string, error: FailedCall["error"]): void {
  const value = { name: "Error", ...told(error) };
  const thrown = { isError: true as const, value };
  supervisor.tell(isolate, { t: "reply", reply: { id, type: "HANDLER", name: "throw", value: thrown } });
}
