import { type CommandFor, type JsonEntry, NOTE_S, WAIT_S } from "./setup.ts";

/** Entries as Claude Code has them, which several agents took over. */
export interface ClaudeLike {
  gates: readonly string[];
  notes: readonly string[];
  /** Events whose groups take a `matcher`, which must be there for some agents. */
  matched?: readonly string[];
  /** How many of the agent's units of time are a second. Default 1. */
  unitsPerSecond?: number;
  /** Further fields of a gate's entry, such as the agent's own switch for failures. */
  closed?: object;
}

/** What Claude Code and Qwen Code both tell. */
export const CLAUDE_EVENTS = {
  gates: ["PreToolUse", "PermissionRequest"],
  notes: [
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Notification",
  ],
  matched: ["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"],
} as const;

export function claudeLike(command: CommandFor, shape: ClaudeLike): JsonEntry[] {
  const { gates, notes, matched = [], unitsPerSecond = 1, closed = {} } = shape;
  const entry = (event: string, kind: "gate" | "note"): JsonEntry => {
    const seconds = kind === "gate" ? WAIT_S : NOTE_S;
    const run = {
      type: "command",
      command: command(kind, event, seconds * 1000),
      timeout: seconds * unitsPerSecond,
      ...(kind === "gate" ? closed : {}),
    };
    const matcher = matched.includes(event) ? { matcher: "*" } : {};
    return { path: ["hooks", event], value: { ...matcher, hooks: [run] } };
  };
  return [...gates.map((event) => entry(event, "gate")), ...notes.map((event) => entry(event, "note"))];
}
