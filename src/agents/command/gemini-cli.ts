import { claudeShaped } from "./claude-shaped.ts";
import { READ_MANY } from "./read-many.ts";
import type { CommandAgent, ToolTable } from "./spoken.ts";

const FILE = { path: "file_path" };

const TOOLS: ToolTable = {
  run_shell_command: { tool: "bash", fields: {} },
  read_file: { tool: "read", fields: FILE },
  read_many_files: READ_MANY,
  write_file: { tool: "write", fields: FILE },
  replace: { tool: "edit", fields: { ...FILE, oldText: "old_string", newText: "new_string" } },
  glob: { tool: "find", fields: {} },
  grep_search: { tool: "grep", fields: {} },
};

/**
 * Gemini CLI. It merges a changed input into the old one; a result that is denied gives the model the reason in its place. Its
 * dialog shows a `systemMessage`, and not the reason of `ask`.
 */
export const geminiCli: CommandAgent = claudeShaped({
  name: "gemini-cli",
  title: "Gemini CLI",
  asks: true,
  rewrites: "fields",
  replacesResults: true,
  contexts: ["BeforeAgent"],
  notices: true,
  tools: TOOLS,
  events: {
    BeforeTool: "call",
    AfterTool: "result",
    BeforeAgent: "prompt",
    AfterAgent: "stop",
    PreCompress: "beforeCompact",
    Notification: "notification",
    SessionStart: "start",
    SessionEnd: "end",
  },
  deny: (_event, reason) => ({ decision: "deny", reason }),
  answer({ event: hookEventName }, given) {
    if (given.kind === "result") return { decision: "deny", reason: given.text };
    const changed = given.input ? { hookSpecificOutput: { hookEventName, tool_input: given.input } } : {};
    if (given.kind === "change") return changed;
    const systemMessage = [given.notice, given.question].filter((text) => text !== undefined).join("\n");
    return { decision: "ask", reason: given.question, systemMessage, ...changed };
  },
});
