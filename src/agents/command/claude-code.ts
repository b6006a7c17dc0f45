import { claudeShaped, denied, isOfServer, permission } from "./claude-shaped.ts";
import { editsOf } from "./edits.ts";
import { isRecord } from "./fields.ts";
import { withText, withTextOfServer } from "./response-text.ts";
import type { CommandAgent, Input, ToolTable } from "./spoken.ts";

const FILE = { path: "file_path" };

const SHELL = { tool: "bash", fields: {} };

const TOOLS: ToolTable = {
  Bash: SHELL,
  PowerShell: SHELL,
  // It runs a command, and tells the model each line of it.
  Monitor: SHELL,
  Read: { tool: "read", fields: FILE },
  Write: { tool: "write", fields: FILE },
  Edit: { tool: "edit", fields: { ...FILE, oldText: "old_string", newText: "new_string" } },
  // Of earlier versions.
  MultiEdit: { parts: editsOf },
  NotebookEdit: { tool: "write", fields: { path: "notebook_path", content: "new_source" } },
  Glob: { tool: "find", fields: {} },
  Grep: { tool: "grep", fields: {} },
  // Its command is one of Claude Code's own, such as /review.
  SlashCommand: { tool: "SlashCommand", fields: {} },
};

/** Claude Code. An answer of its commands is described in its reference of hooks; `ask` opens its own dialog. */
export const claudeCode: CommandAgent = claudeShaped({
  name: "claude-code",
  title: "Claude Code",
  asks: true,
  rewrites: "whole",
  replacesResults: true,
  contexts: ["UserPromptSubmit", "SubagentStart"],
  notices: true,
  tools: TOOLS,
  // What a command says that goes on in the background.
  shows: { BashOutput: "bash", TaskOutput: "bash" },
  events: {
    PreToolUse: "call",
    PostToolUse: "result",
    PostToolUseFailure: "failure",
    UserPromptSubmit: "prompt",
    SessionStart: "start",
    SessionEnd: "end",
    Stop: "stop",
    PermissionRequest: "permission",
    SubagentStart: "subagentStart",
    SubagentStop: "subagentStop",
    PreCompact: "beforeCompact",
    Notification: "notification",
    WorktreeRemove: "worktreeRemove",
  },
  deny: denied,
  answer({ event: hookEventName, said }, given) {
    // A change comes without a decision: the person's own rules go on deciding whether the call runs.
    if (given.kind !== "result") return permission(hookEventName, given);
    const [tool, details] = said.kind === "result" ? [said.use.tool, said.details] : ["", ""];
    const input = said.kind === "result" ? said.use.input : {};
    const output = isOfServer(tool)
      ? { updatedMCPToolOutput: withTextOfServer(details, given.text) }
      : { updatedToolOutput: ofOwnTool(tool, details, given.text, input) };
    return { hookSpecificOutput: { hookEventName, ...output } };
  },
});

/**
 * Claude Code goes on with the original where what takes its place is not in the tool's shape (`sdk-tools.d.ts` of its package): an
 * image, a document or a notebook becomes a text. The path that the call named stays.
 */
function ofOwnTool(tool: string, details: unknown, text: string, input: Input): unknown {
  const path = input.file_path ?? input.notebook_path;
  const isText = isRecord(details) && isRecord(details.file) && typeof details.file.content === "string";
  if (tool === "Read" && !isText)
    return { type: "text", file: { filePath: path, content: text, numLines: 1, startLine: 1, totalLines: 1 } };
  const replaced = withText(details, text);
  if (!isRecord(replaced) || !isRecord(details)) return replaced;
  const { file } = replaced;
  return {
    ...replaced,
    ...(path !== undefined && details.filePath === path ? { filePath: path } : {}),
    ...(isRecord(file) && isRecord(details.file) && details.file.filePath === path
      ? { file: { ...file, filePath: path } }
      : {}),
  };
}
