import { callsOfPatch } from "./apply-patch.ts";
import { claudeShaped } from "./claude-shaped.ts";
import { textOf } from "./fields.ts";
import type { CommandAgent } from "./spoken.ts";

/** Its shell takes a patch, too: `apply_patch` with the text behind it. */
const patchIn = (command: string) => (command.includes("*** Begin Patch") ? callsOfPatch(command) : []);

/**
 * Codex. It takes `ask`, and `allow` without another input, for the answer of a failed command, and runs the call. Another
 * text for the model is the reason of a block that comes after the call.
 */
export const codex: CommandAgent = claudeShaped({
  name: "codex",
  title: "Codex",
  asks: false,
  rewrites: "whole",
  replacesResults: true,
  contexts: ["UserPromptSubmit", "SubagentStart"],
  notices: true,
  tools: {
    Bash: { tool: "bash", fields: {}, also: ({ command }) => patchIn(String(command)) },
    apply_patch: { parts: ({ command }) => callsOfPatch(textOf(command, "tool_input.command")) },
  },
  events: {
    PreToolUse: "call",
    PostToolUse: "result",
    UserPromptSubmit: "prompt",
    SessionStart: "start",
    SessionEnd: "end",
    Stop: "stop",
    PermissionRequest: "permission",
    SubagentStart: "subagentStart",
    SubagentStop: "subagentStop",
    PreCompact: "beforeCompact",
  },
  answer({ event: hookEventName }, given) {
    if (given.kind === "change")
      return { hookSpecificOutput: { hookEventName, permissionDecision: "allow", updatedInput: given.input } };
    return { decision: "block", reason: given.kind === "result" ? given.text : given.question };
  },
});
