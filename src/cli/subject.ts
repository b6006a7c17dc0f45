import type { HookEvent } from "../hook-api.ts";

/** What an event is about, in a word or two: `tool_call bash`, `session start`. */
export function subjectOf(event: HookEvent): string {
  if (event.type === "tool_call" || event.type === "tool_result") return `${event.type} ${event.toolName}`;
  return event.type === "session" ? `session ${event.reason}` : event.type;
}
