import type { Event, LiveSession, Step } from "./scenario.ts";

const user = (text: string) => ({
  type: "message",
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "user", content: text, timestamp: 1 },
});
const assistant = (text: string) => ({
  type: "message",
  timestamp: "2026-01-01T00:00:01.000Z",
  message: {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "…" },
      { type: "text", text },
    ],
    timestamp: 2,
  },
});

export const ENTRIES = [
  {
    type: "session",
    id: "0001",
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd: "project",
    provider: "anthropic",
    modelId: "m",
    thinkingLevel: "off",
  },
  user("please tidy up"),
  assistant("Tidied the tests and the documentation of the parser\nand more"),
];

export type Reason =
  | "start"
  | "before_switch"
  | "switch"
  | "before_clear"
  | "clear"
  | "before_branch"
  | "branch"
  | "compact"
  | "shutdown";

const COMPACTION = {
  type: "compaction",
  timestamp: "2026-01-01T00:00:02.000Z",
  summary: "so far",
  firstKeptEntryIndex: 2,
  tokensBefore: 900,
};

/** A `session` event as pi's agent session emits it. */
export function session(reason: Reason, more: Record<string, unknown> = {}): Event {
  const after = reason === "switch" || reason === "branch";
  const branch = reason === "branch" || reason === "before_branch" ? { targetTurnIndex: 1 } : {};
  const compact = reason === "compact" ? { compactionEntry: COMPACTION, tokensBefore: 900, fromHook: true } : {};
  return {
    type: "session",
    entries: reason === "clear" ? [] : ENTRIES,
    sessionFile: "sessions/now.jsonl",
    previousSessionFile: after || reason === "clear" ? "sessions/before.jsonl" : null,
    reason,
    ...branch,
    ...compact,
    ...more,
  };
}

const MODEL = {
  id: "m",
  name: "M",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: "https://example.invalid",
  reasoning: false,
  maxTokens: 10,
};

/** `before_compact`, with a function that tells the script what it was asked, and a signal fired at the first dialog. */
export const beforeCompact =
  (more: Record<string, unknown> = {}) =>
  (live: LiveSession): Event => {
    const stop = new AbortController();
    live.whenAsked = () => stop.abort();
    return {
      type: "session",
      entries: ENTRIES,
      sessionFile: "sessions/now.jsonl",
      previousSessionFile: null,
      reason: "before_compact",
      cutPoint: { firstKeptEntryIndex: 2, turnStartIndex: -1, isSplitTurn: false },
      previousSummary: "earlier",
      messagesToSummarize: [ENTRIES[1]],
      messagesToKeep: [ENTRIES[2]],
      tokensBefore: 900,
      model: MODEL,
      resolveApiKey: async (model: { provider: string; id: string }) => {
        live.note(`asked for the key of ${model.provider}/${model.id}`);
        return model.id === "unknown" ? undefined : `key of ${model.id}`;
      },
      signal: stop.signal,
      ...more,
    };
  };

export const agentStart: Event = { type: "agent_start" };
export const agentEnd: Event = { type: "agent_end", messages: [{ role: "user", content: "hi", timestamp: 1 }] };
export const turnStart = (turnIndex: number): Event => ({
  type: "turn_start",
  turnIndex,
  timestamp: 1_767_225_600_000 + turnIndex,
});
export const turnEnd = (turnIndex: number): Event => ({
  type: "turn_end",
  turnIndex,
  message: { role: "assistant", content: [{ type: "text", text: "done" }], timestamp: 2 },
  toolResults: [
    {
      role: "toolResult",
      toolCallId: "call-1",
      toolName: "bash",
      content: [{ type: "text", text: "out" }],
      isError: false,
      timestamp: 3,
    },
  ],
});

export const toolResult = (toolName: string, text: string, more: Record<string, unknown> = {}): Event => ({
  type: "tool_result",
  toolName,
  toolCallId: "call-1",
  input: { command: "ls" },
  content: [{ type: "text", text }],
  details: undefined,
  isError: false,
  ...more,
});

/** The source of a pi hook with these handlers: event type and body (`event`, `ctx`, `pi` in scope), in this order. */
export const hook = (handlers: [type: string, body: string][], top = ""): string =>
  `${top}\nexport default function (pi: any) {\n${handlers
    .map(([type, body]) => `  pi.on(${JSON.stringify(type)}, async (event: any, ctx: any) => {\n${body}\n  });\n`)
    .join("")}}\n`;

/** The same with handlers of one type, by their bodies. */
export const on = (type: string, ...bodies: string[]): string => hook(bodies.map((body) => [type, body]));

/** Events that are emitted one after the other. */
export const emits = (...events: (Event | ((session: LiveSession) => Event))[]): Step[] =>
  events.map((event) => ({ emit: event }));
