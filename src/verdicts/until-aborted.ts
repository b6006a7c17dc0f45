import type { ToolCallEvent } from "../hook-api.ts";
import type { Blocked } from "./blocked.ts";
import { CANCELLED } from "./cancelled.ts";
import type { HostInside } from "./host-inside.ts";
import { type JudgeOptions, judgeToolCall, type ToolCallOutcome } from "./tool-call.ts";

/** Judges a call, and blocks it at once when it is cancelled: hooks may take their time to notice. */
export function judgeUntilAborted(
  host: HostInside,
  event: ToolCallEvent,
  signal: AbortSignal,
  options: JudgeOptions,
): Promise<ToolCallOutcome> {
  return signal.aborted ? Promise.resolve(CANCELLED) : unlessAborted(judgeToolCall(host, event, options), signal);
}

async function unlessAborted(judging: Promise<ToolCallOutcome>, signal: AbortSignal): Promise<ToolCallOutcome> {
  let giveUp: () => void = () => {};
  const aborted = new Promise<Blocked>((resolve) => {
    giveUp = () => resolve(CANCELLED);
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([judging, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
