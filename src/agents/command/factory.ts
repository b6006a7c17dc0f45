import { claudeShaped } from "./claude-shaped.ts";
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
  },
  answer({ event: hookEventName }, given) {
    if (given.kind === "result") return {};
    return {
      hookSpecificOutput: {
        hookEventName,
        ...(given.kind === "ask" ? { permissionDecision: "ask", permissionDecisionReason: given.question } : {}),
        ...(given.input ? { updatedInput: given.input } : {}),
      },
    };
  },
});
