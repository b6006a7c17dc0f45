import { HookBlockedError } from "../../base/errors.ts";
import type { AiTool, AiToolOptions } from "./tool-api.ts";

/**
 * Blocks a call whose input hooks changed, if a person approved the input as it was, or would have to approve what it is now:
 * nobody has approved what would run.
 */
export async function blockUnapproved(tool: AiTool, input: unknown, options: AiToolOptions): Promise<void> {
  if (!wasAsked(options) && !(await needsApproval(tool, input, options))) return;
  throw new HookBlockedError("", "a hook changed this call, which takes a person's approval, and nobody approved that");
}

/** True if a person was asked about this call: the question stands in the messages that led to it. */
function wasAsked({ toolCallId, messages = [] }: AiToolOptions): boolean {
  const parts = messages.flatMap((message) => {
    const { content } = Object(message) as { content?: unknown };
    return Array.isArray(content) ? content : [];
  });
  return parts.some((part) => part?.type === "tool-approval-request" && part.toolCallId === toolCallId);
}

async function needsApproval(tool: AiTool, input: unknown, options: AiToolOptions): Promise<boolean> {
  const { needsApproval } = tool;
  if (typeof needsApproval !== "function") return needsApproval === true;
  return (await Reflect.apply(needsApproval, tool, [input, options])) !== false;
}
