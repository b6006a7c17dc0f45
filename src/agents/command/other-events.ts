/** What several agents tell their commands besides calls, as hooks hear it. Agents name the fields alike, in either case. */
import type { ExtensionEvent, SessionEvent } from "../../hook-api.ts";
import { optionalText } from "./fields.ts";
import type { Input } from "./spoken.ts";

export const stopOf = (event: Input): ExtensionEvent => ({ type: "stop", ...stopped(event) });

export const subagentStartOf = (event: Input): ExtensionEvent => ({ type: "subagent_start", ...subagent(event) });

export const subagentStopOf = (event: Input): ExtensionEvent => ({
  type: "subagent_stop",
  ...subagent(event),
  ...stopped(event),
});

export function notificationOf(event: Input): ExtensionEvent {
  const title = optionalText(event.title);
  return {
    type: "notification",
    kind: optionalText(event.notification_type) ?? "",
    message: optionalText(event.message) ?? "",
    ...(title === undefined ? {} : { title }),
  };
}

/** These agents tell their commands nothing of what is compacted, and take no other text for it. */
export function beforeCompactOf(event: Input): SessionEvent {
  const instructions = optionalText(event.custom_instructions ?? event.customInstructions);
  return {
    type: "session",
    reason: "before_compact",
    cause: event.trigger === "auto" ? "threshold" : "manual",
    entries: [],
    sessionFile: null,
    previousSessionFile: null,
    cutPoint: { firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false },
    messagesToSummarize: [],
    messagesToKeep: [],
    tokensBefore: 0,
    ...(instructions === undefined ? {} : { customInstructions: instructions }),
    model: null,
    resolveApiKey: async () => undefined,
    signal: new AbortController().signal,
  };
}

function stopped(event: Input) {
  const lastMessage = optionalText(event.last_assistant_message ?? event.prompt_response ?? event.response);
  const isAgain = (event.stop_hook_active ?? event.stopHookActive) === true;
  return { isAgain, ...(lastMessage === undefined ? {} : { lastMessage }) };
}

const subagent = (event: Input) => ({
  agentId: optionalText(event.agent_id ?? event.agentId) ?? "",
  agentType: optionalText(event.agent_type ?? event.agent_name ?? event.agentName) ?? "",
});
