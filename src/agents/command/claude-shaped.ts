import { eventName, folderOf, inputOf, optionalText, parseEvent, textOf } from "./fields.ts";
import { PERMISSION, permissionDenied, plainBlock } from "./json-block.ts";
import { beforeCompactOf, notificationOf, stopOf, subagentStartOf, subagentStopOf } from "./other-events.ts";
import { textOfResponse } from "./response-text.ts";
import type { Answer, CommandAgent, Heard, Input, Reply, Said, Spoken, ToolUse } from "./spoken.ts";

type Meaning =
  | "call"
  | "permission"
  | "result"
  | "failure"
  | "prompt"
  | "start"
  | "end"
  | "stop"
  | "subagentStart"
  | "subagentStop"
  | "beforeCompact"
  | "notification"
  | "worktreeRemove";

/** What differs between agents that speak to their commands as Claude Code does. */
interface Shape
  extends Pick<CommandAgent, "name" | "title" | "asks" | "rewrites" | "replacesResults" | "tools">,
    Partial<Pick<CommandAgent, "contexts" | "shows">> {
  /** Its events that mean something here. */
  events: Readonly<Record<string, Meaning>>;
  /** True if it shows its person a `systemMessage`, and the model none of it. */
  notices?: boolean;
  /** The JSON that it takes for an answer other than a pass or a block. */
  answer(spoken: Spoken, answer: Exclude<Answer, { kind: "pass" | "block" | "context" | "continue" }>): object;
  /** The JSON that blocks a call, for an agent that shows more than the reason when a command ends with 2. */
  deny?(event: string, reason: string): object;
  /** Reads a call that it writes in its own way. */
  use?(event: Input): ToolUse;
}

/** An agent whose events have `hook_event_name`, `session_id`, `cwd`, `tool_name`, `tool_input`, and that takes 2 for a block. */
export function claudeShaped({
  events,
  answer,
  deny,
  notices = false,
  contexts = [],
  use = useOf,
  ...agent
}: Shape): CommandAgent {
  const json = (given: Answer, value: object): Reply => {
    const message = notices && given.notice !== undefined ? { systemMessage: given.notice } : {};
    const whole = { ...message, ...value };
    return { exit: 0, text: Object.keys(whole).length === 0 ? "" : JSON.stringify(whole) };
  };
  return {
    ...agent,
    contexts,
    read(text, heard) {
      const event = parseEvent(text, heard);
      const name = eventName(event.hook_event_name ?? event.hookEventName ?? event.event, heard);
      const session = optionalText(event.session_id ?? event.sessionId);
      const meaning = Object.hasOwn(events, name) ? events[name] : undefined;
      return { session, cwd: cwdOf(event, heard), event: name, said: saidBy(event, meaning, use) };
    },
    say(spoken, given): Reply {
      if (given.kind === "pass") return json(given, {});
      if (given.kind === "context")
        return json(given, { hookSpecificOutput: { hookEventName: spoken.event, additionalContext: given.text } });
      if (given.kind === "continue") return json(given, { decision: "block", reason: given.text });
      if (given.kind === "block" && spoken.event === PERMISSION) return json(given, permissionDenied(given.reason));
      // Entries of events that tell end with 0, whatever happens.
      if (given.kind === "block" && spoken.said.kind === "tell")
        return json(given, { decision: "block", reason: given.reason });
      if (given.kind === "block" && deny && spoken.said.kind === "call")
        return json(given, deny(spoken.event, given.reason));
      if (given.kind === "block") return { exit: 2, text: given.reason };
      return json(given, answer(spoken, given));
    },
    block: (reason, event) => plainBlock(agent.name, event, reason),
  };
}

/** How Claude Code, and those that took it over, are asked about a call, or handed another input for it. */
export const permission = (hookEventName: string, given: Extract<Answer, { kind: "ask" | "change" }>): object => ({
  hookSpecificOutput: {
    hookEventName,
    ...(given.kind === "ask" ? { permissionDecision: "ask", permissionDecisionReason: given.question } : {}),
    ...(given.input ? { updatedInput: given.input } : {}),
  },
});

/** Their block of a call. */
export const denied = (hookEventName: string, permissionDecisionReason: string): object => ({
  hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason },
});

function cwdOf(event: Input, heard: Heard): string {
  const cwd = event.cwd ?? event.working_dir;
  return cwd === undefined ? heard.cwd : folderOf(cwd, "cwd");
}

/** Whether a tool is one of an MCP server's, by its name. */
export const isOfServer = (tool: string): boolean => tool.startsWith("mcp__");

/** Why a session starts that was open before: its conversation was shortened or emptied. */
const GOES_ON: readonly unknown[] = ["compact", "clear"];

function saidBy(event: Input, meaning: Meaning | undefined, use: (event: Input) => ToolUse): Said {
  switch (meaning) {
    case "call":
      return { kind: "call", use: use(event) };
    case "result":
    case "failure": {
      const details = event.tool_response ?? event.tool_result ?? event.error;
      const used = use(event);
      return {
        kind: "result",
        use: used,
        text: textOfResponse(details, isOfServer(used.tool)),
        details,
        isError: meaning === "failure",
      };
    }
    case "prompt":
      // Qwen Code tells it so, too, when it goes on after a call.
      if (event.prompt === "") return { kind: "other" };
      return {
        kind: "tell",
        event: { type: "input", text: textOf(event.prompt, "prompt"), source: "interactive" },
      };
    case "permission": {
      const { tool, input } = use(event);
      return { kind: "tell", event: { type: "permission_request", toolName: tool, input } };
    }
    case "stop":
      return { kind: "tell", event: stopOf(event) };
    case "subagentStart":
      return { kind: "tell", event: subagentStartOf(event) };
    case "subagentStop":
      return { kind: "tell", event: subagentStopOf(event) };
    case "beforeCompact":
      return { kind: "tell", event: beforeCompactOf(event) };
    case "notification":
      return { kind: "tell", event: notificationOf(event) };
    case "worktreeRemove":
      return { kind: "tell", event: { type: "worktree_remove", path: textOf(event.worktree_path, "worktree_path") } };
    case "start":
      return { kind: "start", ...(GOES_ON.includes(event.source) ? { goesOn: true } : {}) };
    case "end":
      return { kind: "end" };
    default:
      return { kind: "unknown" };
  }
}

const useOf = (event: Input): ToolUse => ({
  tool: textOf(event.tool_name, "tool_name"),
  input: inputOf(event.tool_input, "tool_input"),
  id: optionalText(event.tool_use_id),
});
