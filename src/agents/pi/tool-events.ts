import { HookBlockedError, messageOf } from "../../base/errors.ts";
import { cleanLine } from "../../base/text.ts";
import { judgeable } from "../../host/framed.ts";
import type { HookHost } from "../../host/host.ts";
import { type PassedResult, passResult as passToHooks } from "../../host/pass-result.ts";
import type { Blocked } from "../../verdicts/blocked.ts";
import { putFrozen } from "./frozen-input.ts";
import type { PiContext, PiEvent } from "./pi-api.ts";

/** What hooks blocked last, for a person who asks why. */
export interface Block {
  tool: string;
  reason: string;
}

interface Verdict {
  block: true;
  reason: string;
}

/**
 * Asks the hooks about a tool call of pi's. What they judged is what runs: pi's own object gets it, and cannot be changed
 * afterwards. Never rejects, and blocks when anything fails.
 */
export async function judgeCall(
  host: HookHost,
  event: PiEvent,
  { signal }: Pick<PiContext, "signal">,
  onWouldBlock: (block: Blocked) => void,
): Promise<Verdict | undefined> {
  if (!host.hasHandlers("tool_call")) return undefined;
  try {
    const { toolName, toolCallId, input, parentToolCallId } = event;
    const copy = judgeable(input);
    const verdict = await host.emitToolCall(
      {
        type: "tool_call",
        toolName,
        toolCallId,
        input: copy,
        ...(typeof parentToolCallId === "string" ? { parentToolCallId } : {}),
      },
      { onWouldBlock, ...(signal ? { signal } : {}) },
    );
    if (verdict && "block" in verdict) return blocked(verdict.hook, verdict.reason);
    putFrozen(input, verdict?.input ?? copy);
    return undefined;
  } catch (error) {
    return blocked("", error instanceof HookBlockedError ? error.reason : messageOf(error));
  }
}

/** What the model reads. An empty id: Cordon itself. */
const blocked = (hook: string, reason: string): Verdict => ({
  block: true,
  reason: hook === "" ? `Blocked by Cordon: ${reason}` : `Blocked by hook ${cleanLine(hook, 200)}: ${reason}`,
});

/** For the person, where hooks only monitor. */
export const wouldBlockText = ({ hook, reason }: Blocked): string =>
  `Cordon only monitors here: hook ${cleanLine(hook, 200)} would have blocked this call: ${reason}`;

/** Shows hooks a tool's result. */
export const passResult = async (host: HookHost, event: PiEvent): Promise<PassedResult | undefined> => {
  const { toolName, toolCallId, input, content, details, isError, structuredContent, usage } = event;
  const beside = {
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(usage === undefined ? {} : { usage }),
  };
  const result = { type: "tool_result", toolName, toolCallId, input, content, details, isError, ...beside } as const;
  const passed = await passToHooks(host, result);
  // For pi, null is as if nothing were said: the tool's own would stay.
  return passed?.details === null ? { ...passed, details: {} } : passed;
};
