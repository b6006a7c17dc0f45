import { editsOf } from "./edits.ts";
import { eventName, inputOf, isRecord, optionalText, parseEvent, textOf } from "./fields.ts";
import { textOfResponse } from "./response-text.ts";
import type { CommandAgent, Input, Said, ToolUse } from "./spoken.ts";

/** Windsurf's Cascade. It takes nothing but a pass or a block; its commands have no name for a tool, only for what it does. */
export const windsurf: CommandAgent = {
  name: "windsurf",
  title: "Windsurf",
  asks: false,
  rewrites: undefined,
  replacesResults: false,
  contexts: [],
  tools: {
    run_command: { tool: "bash", fields: { command: "command_line" } },
    read_code: { tool: "read", fields: { path: "file_path" } },
    write_code: { parts: editsOf },
  },
  read(text, heard) {
    const event = parseEvent(text, heard);
    const name = eventName(event.agent_action_name, heard);
    const info = isRecord(event.tool_info) ? event.tool_info : {};
    // `info.cwd` is where a command runs, as the model wants it.
    return { session: optionalText(event.trajectory_id), cwd: heard.cwd, event: name, said: saidBy(name, info) };
  },
  say: (_spoken, given) => (given.kind === "block" ? block(given.reason) : { exit: 0, text: "" }),
  block: (reason) => block(reason),
};

const block = (reason: string) => ({ exit: 2 as const, text: reason });

/** The tool of an action, such as `pre_run_command`. */
function useOf(action: string, info: Input): ToolUse {
  if (action !== "mcp_tool_use") return { tool: action, input: info, id: undefined };
  const server = textOf(info.mcp_server_name, "mcp_server_name");
  const tool = `mcp__${server}__${textOf(info.mcp_tool_name, "mcp_tool_name")}`;
  return { tool, input: inputOf(info.mcp_tool_arguments ?? {}, "mcp_tool_arguments"), id: undefined };
}

const ACTIONS = new Set(["run_command", "read_code", "write_code", "mcp_tool_use"]);

function saidBy(name: string, info: Input): Said {
  if (name === "pre_user_prompt")
    return {
      kind: "tell",
      event: { type: "input", text: textOf(info.user_prompt, "user_prompt"), source: "interactive" },
    };
  const [, when, action = ""] = /^(pre|post)_(.+)$/.exec(name) ?? [];
  if (!ACTIONS.has(action)) return { kind: "unknown" };
  const use = useOf(action, info);
  if (when === "pre") return { kind: "call", use };
  return { kind: "result", use, text: textOfResponse(info.mcp_result, true), details: info, isError: false };
}
