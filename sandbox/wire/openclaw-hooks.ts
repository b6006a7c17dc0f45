/** OpenClaw's plugin hooks that an event of this type can fire. */
export const OPENCLAW_HOOKS: Readonly<Record<string, readonly string[]>> = {
  tool_call: ["before_tool_call"],
  tool_result: ["after_tool_call", "tool_result_persist"],
  message: ["message_received"],
  session: [
    "session_end",
    "session_start",
    "before_compaction",
    "after_compaction",
    "before_reset",
    "gateway_start",
    "gateway_stop",
  ],
  before_agent_start: ["before_prompt_build", "before_agent_start"],
  agent_end: ["agent_end"],
};
