import { callsOfPatch } from "./apply-patch.ts";
import { claudeShaped } from "./claude-shaped.ts";
import { inputOf, textOf } from "./fields.ts";
import type { CommandAgent } from "./spoken.ts";

/**
 * GitHub Copilot's command line. Entered under event names in Pascal case, its events are written as Claude Code's; a call's
 * input may be JSON in a text, and a patch is the text itself.
 */
export const copilotCli: CommandAgent = claudeShaped({
  name: "copilot-cli",
  title: "Copilot CLI",
  asks: true,
  rewrites: "whole",
  replacesResults: true,
  tools: {
    bash: { tool: "bash", fields: {} },
    view: { tool: "read", fields: {} },
    create: { tool: "write", fields: { content: "file_text" } },
    edit: { tool: "edit", fields: { oldText: "old_str", newText: "new_str" } },
    apply_patch: { parts: ({ patch }) => callsOfPatch(textOf(patch, "tool_input")) },
  },
  events: {
    PreToolUse: "call",
    PostToolUse: "result",
    PostToolUseFailure: "failure",
    UserPromptSubmit: "prompt",
    UserPromptSubmitted: "prompt",
    SessionStart: "start",
    SessionEnd: "end",
    AgentStop: "stop",
    Stop: "stop",
    SubagentStart: "subagentStart",
    SubagentStop: "subagentStop",
    PreCompact: "beforeCompact",
    Notification: "notification",
  },
  use(event) {
    const tool = textOf(event.tool_name, "tool_name");
    const given = event.tool_input;
    const isPatch = tool === "apply_patch" && typeof given === "string" && given.trimStart().startsWith("***");
    return { tool, input: isPatch ? { patch: given } : inputOf(given, "tool_input"), id: undefined };
  },
  answer(_spoken, given) {
    if (given.kind === "result") return { modifiedResult: { resultType: "success", textResultForLlm: given.text } };
    return {
      ...(given.kind === "ask" ? { permissionDecision: "ask", permissionDecisionReason: given.question } : {}),
      ...(given.input ? { modifiedArgs: given.input } : {}),
    };
  },
});
