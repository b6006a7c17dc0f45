import { messageOf } from "../base/errors.ts";
import type { Hosting } from "../supervisor/hosting.ts";

/** The answer to a request. */
export type CallAnswer = { value: unknown } | { error: Error };

/** Answers a call of an isolate. A value that does not fit a frame, or is not JSON, becomes an error for the hook. */
export function answerCall(hosting: Hosting, id: string, answer: CallAnswer): void {
  if ("error" in answer) {
    refuse(hosting, id, answer.error);
    return;
  }
  try {
    hosting.supervisor.tell(hosting.isolate, { t: "reply", reply: { id, type: "RAW", value: answer.value } });
  } catch (error) {
    refuse(hosting, id, new Error(`the answer could not be passed on: ${messageOf(error)}`));
  }
}

function refuse({ isolate, supervisor }: Hosting, id: string, error: Error): void {
  // Cordon's own codes, and those of Node's file system and network, which hooks know.
  const { code } = error as NodeJS.ErrnoException;
  const value = { name: "Error", message: error.message, ...(typeof code === "string" ? { code } : {}) };
  const thrown = { isError: true as const, value };
  supervisor.tell(isolate, { t: "reply", reply: { id, type: "HANDLER", name: "throw", value: thrown } });
}
