import { CLINE_TOOLS } from "./cline-tools.ts";
import { eventName, folderOf, inputOf, isRecord, optionalText, parseEvent, textOf } from "./fields.ts";
import { plainBlock } from "./json-block.ts";
import type { CommandAgent, Input, Said, ToolUse } from "./spoken.ts";

/**
 * Cline. Its commands end with 0 whatever they say: it reads nothing but their output. A block ends its run, and the reason is
 * only in its log. It has no milder one: another input instead could be taken back by the commands of a project.
 */
export const cline: CommandAgent = {
  name: "cline",
  title: "Cline",
  asks: false,
  rewrites: "whole",
  replacesResults: false,
  contexts: [],
  tools: CLINE_TOOLS,
  read(text, heard) {
    const event = parseEvent(text, heard);
    const name = eventName(event.hookName, heard);
    const roots = Array.isArray(event.workspaceRoots) ? event.workspaceRoots : [];
    const cwd = roots[0] === undefined ? heard.cwd : folderOf(roots[0], "workspaceRoots");
    const session = optionalText(event.taskId);
    return { session, cwd, event: name, said: saidBy(name, event) };
  },
  say(_spoken, given) {
    if (given.kind === "block") return plainBlock("cline", "", given.reason);
    return { exit: 0, text: JSON.stringify(given.kind === "change" ? { overrideInput: given.input } : {}) };
  },
  block: (reason, event) => plainBlock("cline", event, reason),
};

function saidBy(name: string, event: Input): Said {
  switch (name) {
    case "tool_call":
      return { kind: "call", use: useOf(event.tool_call) };
    case "tool_result": {
      const { output, error } = inputOf(event.tool_result, "tool_result");
      const details = error ?? output;
      const text = typeof details === "string" ? details : JSON.stringify(details ?? "");
      return { kind: "result", use: useOf(event.tool_result), text, details, isError: error !== undefined };
    }
    case "prompt_submit": {
      const prompt = isRecord(event.userPromptSubmit) ? event.userPromptSubmit.prompt : undefined;
      return { kind: "tell", event: { type: "input", text: textOf(prompt, "prompt"), source: "interactive" } };
    }
    case "agent_start":
    case "agent_resume":
      return { kind: "start" };
    case "session_shutdown":
      return { kind: "end" };
    case "agent_end":
      return { kind: "tell", event: { type: "agent_end", messages: [] } };
    default:
      return { kind: "unknown" };
  }
}

function useOf(given: unknown): ToolUse {
  const call = inputOf(given, "tool_call");
  return { tool: textOf(call.name, "name"), input: inputOf(call.input, "input"), id: optionalText(call.id) };
}
