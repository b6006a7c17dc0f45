/** Types of events that an agent sends. */
export const EVENT_NAMES = [
  "tool_call",
  "tool_result",
  "session",
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "message",
  "params",
] as const;
