import { members, type ResultShape } from "../../core/members.ts";
import { failure, plainObject } from "../../core/outcome.ts";
import { isArray, parse, serialize } from "../../core/primordials.ts";

/**
 * `terminate` (of later versions of pi) asks the agent to stop after the call. Only an agent can do that: it is
 * ignored.
 */
const TOOL_CALL: ResultShape = {
  event: "tool_call",
  names: ["block", "reason"],
  deciding: ["block"],
  ignored: ["terminate"],
};
const shapeOf = (event: string, ...names: string[]): ResultShape => ({ event, names, deciding: names });
export const TOOL_RESULT = shapeOf("tool_result", "content", "details", "isError");
export const SESSION = shapeOf("session", "cancel", "skipConversationRestore", "compactionEntry");
export const MESSAGE = shapeOf("message", "text", "metadata");
export const PARAMS = shapeOf("params", "thinkLevel", "reasoningLevel", "temperature");

export function toolCallResult(returned: unknown): { block?: boolean; reason?: string } | undefined {
  const { block, reason } = members(returned, TOOL_CALL);
  if (reason !== undefined && reason !== null && typeof reason !== "string") {
    throw failure("BAD_RESULT", `a tool_call handler returned a reason that is a ${typeof reason}, not a text`);
  }
  if (!block) return typeof reason === "string" ? { block: false, reason } : undefined;
  return typeof reason === "string" ? { block: true, reason } : { block: true };
}

export function toolResultResult(returned: unknown): { content?: unknown; details?: unknown; isError?: boolean } {
  const found = members(returned, TOOL_RESULT);
  if (found.content !== undefined && !isArray(found.content)) {
    throw failure("BAD_RESULT", "a tool_result handler returned content that is not an array");
  }
  if (found.isError !== undefined && typeof found.isError !== "boolean") {
    throw failure("BAD_RESULT", "a tool_result handler returned an isError that is not a boolean");
  }
  return parse(serialize(found));
}

export function sessionResult(returned: unknown): {
  cancel?: boolean;
  skipConversationRestore?: boolean;
  compactionEntry?: unknown;
} {
  const found = members(returned, SESSION);
  if (
    found.compactionEntry !== undefined &&
    (typeof found.compactionEntry !== "object" || isArray(found.compactionEntry))
  ) {
    throw failure("BAD_RESULT", "a session handler returned a compactionEntry that is not an object");
  }
  return {
    ...(found.cancel !== undefined ? { cancel: Boolean(found.cancel) } : {}),
    ...(found.skipConversationRestore !== undefined
      ? { skipConversationRestore: Boolean(found.skipConversationRestore) }
      : {}),
    ...(found.compactionEntry ? { compactionEntry: parse(serialize(found.compactionEntry)) } : {}),
  };
}

export function messageResult(returned: unknown): { text?: string; metadata?: Record<string, unknown> } {
  const found = members(returned, MESSAGE);
  if (found.text !== undefined && typeof found.text !== "string") {
    throw failure("BAD_RESULT", "a message handler returned a text that is not a text");
  }
  if (found.metadata !== undefined) found.metadata = plainObject(serialize(found.metadata), "metadata");
  return found;
}

export function paramsResult(returned: unknown): {
  thinkLevel?: string;
  reasoningLevel?: string;
  temperature?: number;
} {
  const found = members(returned, PARAMS);
  for (const [name, type] of [
    ["thinkLevel", "string"],
    ["reasoningLevel", "string"],
    ["temperature", "number"],
  ] as const) {
    if (found[name] !== undefined && typeof found[name] !== type)
      throw failure("BAD_RESULT", `a params handler returned a ${name} that is not a ${type}`);
  }
  return found;
}
