import type { ToolCallEvent } from "../hook-api.ts";
import type { Blocked } from "./blocked.ts";
import { CANCELLED } from "./cancelled.ts";
import type { HostInside } from "./host-inside.ts";
import { type JudgeOptions, judgeToolCall, type ToolCallOutcome } from "./tool-call.ts";

/** Judges a call, and blocks it at once when it is cancelled: hooks may take their time to notice. */
export async function judgeUntilAborted(
  host: HostInside,
  event: ToolCallEvent,
  options: JudgeOptions,
): Promise<ToolCallOutcome> {
  const { signal } = options;
  if (!signal) return judgeToolCall(host, event, options);
  if (signal.aborted) return CANCELLED;
  let giveUp: () => void = () => {};
  const aborted = new Promise<Blocked>((resolve) => {
    giveUp = () => resolve(CANCELLED);
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([judgeToolCall(host, event, options), aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
