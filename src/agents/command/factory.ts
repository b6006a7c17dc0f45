import { claudeShaped, permission } from "./claude-shaped.ts";
import type { CommandAgent } from "./spoken.ts";

const FILE = { path: "file_path" };
const SHELL = { tool: "bash", fields: {} };
const WRITE = { tool: "write", fields: FILE };

/** Factory's droid. Its older pages name fields in either case, and its shell and writing tools by two names. */
export const factory: CommandAgent = claudeShaped({
  name: "factory",
  title: "Factory",
  asks: true,
  rewrites: "fields",
  replacesResults: false,
  contexts: ["UserPromptSubmit"],
  tools: {
    Execute: SHELL,
    Bash: SHELL,
    Read: { tool: "read", fields: FILE },
    Create: WRITE,
    Write: WRITE,
    Edit: { tool: "edit", fields: { ...FILE, oldText: "old_string", newText: "new_string" } },
  },
  events: {
    PreToolUse: "call",
    PostToolUse: "result",
    UserPromptSubmit: "prompt",
    SessionStart: "start",
    SessionEnd: "end",
    Stop: "stop",
    SubagentStop: "subagentStop",
    PreCompact: "beforeCompact",
    Notification: "notification",
  },
  answer: ({ event }, given) => (given.kind === "result" ? {} : permission(event, given)),
});
