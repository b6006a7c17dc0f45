import { claudeShaped, denied, permission } from "./claude-shaped.ts";
import { READ_MANY } from "./read-many.ts";
import type { CommandAgent } from "./spoken.ts";

const FILE = { path: "file_path" };
const SHELL = { tool: "bash", fields: {} };

/** Qwen Code. It ignores another input for a call, against its own pages (seen in 0.24.4). Where nobody is there to ask, it takes `ask` for a block. */
export const qwenCode: CommandAgent = claudeShaped({
  name: "qwen-code",
  title: "Qwen Code",
  asks: true,
  rewrites: undefined,
  replacesResults: false,
  contexts: ["UserPromptSubmit", "SubagentStart"],
  notices: true,
  tools: {
    run_shell_command: SHELL,
    // It runs a command, and tells the model each line of it.
    monitor: SHELL,
    read_file: { tool: "read", fields: FILE },
    read_many_files: READ_MANY,
    write_file: { tool: "write", fields: FILE },
    edit: { tool: "edit", fields: { ...FILE, oldText: "old_string", newText: "new_string" } },
    glob: { tool: "find", fields: {} },
    grep_search: { tool: "grep", fields: {} },
  },
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
  },
  deny: denied,
  answer: ({ event }, given) => (given.kind === "result" ? {} : permission(event, given)),
});
