import { removalOf } from "./edits.ts";
import { eventName, folderOf, inputOf, isRecord, optionalText, parseEvent, textOf } from "./fields.ts";
import { textOfResponse } from "./response-text.ts";
import type { CommandAgent, Heard, Input, Said, ToolUse } from "./spoken.ts";

const SHELL = { tool: "bash", fields: { cwd: "working_directory" } };
const FILE = { path: "file_path" };
const EDIT = { tool: "edit", fields: { ...FILE, oldText: "old_string", newText: "new_string" } };

/**
 * Cursor. Before a tool it takes `ask` for a pass, so a question is a block there. A changed input comes without a permission:
 * the person's own rules go on deciding.
 */
export const cursor: CommandAgent = {
  name: "cursor",
  title: "Cursor",
  asks: false,
  rewrites: "whole",
  replacesResults: false,
  contexts: [],
  tools: {
    Shell: SHELL,
    Read: { tool: "read", fields: FILE },
    Write: { tool: "write", fields: FILE },
    StrReplace: EDIT,
    Edit: EDIT,
    Delete: { parts: removalOf },
    Grep: { tool: "grep", fields: {} },
  },
  read(text, heard) {
    const event = parseEvent(text, heard);
    const name = eventName(event.hook_event_name, heard);
    const session = optionalText(event.conversation_id ?? event.session_id);
    return { session, cwd: cwdOf(event, heard), event: name, said: saidBy(name, event) };
  },
  say({ said }, given) {
    if (given.kind === "block" && said.kind === "tell")
      return { exit: 0, text: JSON.stringify({ continue: false, user_message: given.reason }) };
    if (given.kind === "continue") return { exit: 0, text: JSON.stringify({ followup_message: given.text }) };
    if (given.kind === "change") return { exit: 0, text: JSON.stringify({ updated_input: given.input }) };
    return given.kind === "block" ? deny(given.reason) : { exit: 0, text: "" };
  },
  block: (reason) => deny(reason),
};

const deny = (reason: string) => ({ exit: 2 as const, text: reason });

function cwdOf(event: Input, heard: Heard): string {
  const roots = Array.isArray(event.workspace_roots) ? event.workspace_roots : [];
  const cwd = roots[0] ?? optionalText(event.cwd);
  return cwd === undefined ? heard.cwd : folderOf(cwd, "workspace_roots");
}

function saidBy(name: string, event: Input): Said {
  switch (name) {
    case "preToolUse":
      return { kind: "call", use: useOf(event) };
    case "postToolUse":
    case "postToolUseFailure": {
      const details = event.tool_output ?? event.error_message;
      const isError = name === "postToolUseFailure";
      return { kind: "result", use: useOf(event), text: textOfResponse(details), details, isError };
    }
    case "beforeSubmitPrompt":
      return { kind: "tell", event: { type: "input", text: textOf(event.prompt, "prompt"), source: "interactive" } };
    case "sessionStart":
      return { kind: "start" };
    case "sessionEnd":
      return { kind: "end" };
    case "stop":
      return { kind: "tell", event: { type: "stop", isAgain: Number(event.loop_count) > 0 } };
    default:
      return { kind: "unknown" };
  }
}

/** `MCP:tool` does not say which server's: it keeps its name. */
function useOf(event: Input): ToolUse {
  const input = event.tool_input;
  const given = isRecord(input) ? input : inputOf(input, "tool_input");
  return { tool: textOf(event.tool_name, "tool_name"), input: given, id: optionalText(event.tool_use_id) };
}
