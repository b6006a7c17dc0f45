import { claudeShaped } from "./claude-shaped.ts";
import { inputOf, optionalText, textOf } from "./fields.ts";
import type { CommandAgent } from "./spoken.ts";

/** Goose. It takes nothing but a pass or a block. */
export const goose: CommandAgent = claudeShaped({
  name: "goose",
  title: "Goose",
  asks: false,
  rewrites: undefined,
  replacesResults: false,
  tools: {
    developer__shell: { tool: "bash", fields: {} },
    developer__write: { tool: "write", fields: {} },
    developer__edit: { tool: "edit", fields: { oldText: "before", newText: "after" } },
  },
  events: {
    PreToolUse: "call",
    PostToolUse: "result",
    PostToolUseFailure: "failure",
    SessionStart: "start",
    SessionEnd: "end",
    Stop: "stop",
  },
  use: (event) => ({
    tool: textOf(event.tool_name, "tool_name"),
    input: inputOf(event.tool_input, "tool_input"),
    id: optionalText(event.tool_call_id),
  }),
  answer: () => ({}),
});
