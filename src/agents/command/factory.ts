import { callsOfPatch } from "./apply-patch.ts";
import { claudeShaped, permission } from "./claude-shaped.ts";
import { editsOf } from "./edits.ts";
import { type CommandAgent, type Input, Unreadable } from "./spoken.ts";

const FILE = { path: "file_path" };
const SHELL = { tool: "bash", fields: {} };
const WRITE = { tool: "write", fields: FILE };

/** No page says which of its fields has the patch. */
function patchIn(input: Input): string {
  const [patch, ...more] = Object.values(input).filter((value) => typeof value === "string" && value.includes("*** "));
  if (typeof patch !== "string" || more.length > 0) throw new Unreadable("a call without a patch");
  return patch;
}

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
    ApplyPatch: { parts: (input) => callsOfPatch(patchIn(input)) },
    MultiEdit: { parts: editsOf },
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
