import { members } from "../members.ts";
import { failure, plainObject } from "../outcome.ts";
import { isArray, parse, stringify } from "../primordials.ts";

export function toolCallResult(returned: unknown): { block?: boolean; reason?: string } | undefined {
  const { block, reason } = members(returned, ["block", "reason"], "tool_call");
  if (reason !== undefined && reason !== null && typeof reason !== "string") {
    throw failure("BAD_RESULT", `a tool_call handler returned a reason that is a ${typeof reason}, not a text`);
  }
  if (!block) return typeof reason === "string" ? { block: false, reason } : undefined;
  return typeof reason === "string" ? { block: true, reason } : { block: true };
}

export function toolResultResult(returned: unknown): { content?: unknown; details?: unknown; isError?: boolean } {
  const found = members(returned, ["content", "details", "isError"], "tool_result");
  if (found.content !== undefined && !isArray(found.content)) {
    throw failure("BAD_RESULT", "a tool_result handler returned content that is not an array");
  }
  if (found.isError !== undefined && typeof found.isError !== "boolean") {
    throw failure("BAD_RESULT", "a tool_result handler returned an isError that is not a boolean");
  }
  return parse(stringify(found));
}

export function sessionResult(returned: unknown): {
  cancel?: boolean;
  skipConversationRestore?: boolean;
  compactionEntry?: unknown;
} {
  const found = members(returned, ["cancel", "skipConversationRestore", "compactionEntry"], "session");
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
    ...(found.compactionEntry ? { compactionEntry: parse(stringify(found.compactionEntry)) } : {}),
  };
}

export function messageResult(returned: unknown): { text?: string; metadata?: Record<string, unknown> } {
  const found = members(returned, ["text", "metadata"], "message");
  if (found.text !== undefined && typeof found.text !== "string") {
    throw failure("BAD_RESULT", "a message handler returned a text that is not a text");
  }
  if (found.metadata !== undefined) found.metadata = plainObject(stringify(found.metadata), "metadata");
  return found;
}

export function paramsResult(returned: unknown): {
  thinkLevel?: string;
  reasoningLevel?: string;
  temperature?: number;
} {
  const found = members(returned, ["thinkLevel", "reasoningLevel", "temperature"], "params");
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
