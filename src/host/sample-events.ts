import type { HookEvent } from "../hook-api.ts";

const session = { type: "session" as const, entries: [], sessionFile: null, previousSessionFile: null };
const user = { role: "user", content: [{ type: "text", text: "please do" }], timestamp: 1 };
const assistant = { role: "assistant", content: [{ type: "text", text: "done" }], timestamp: 2 };

const MODEL = { provider: "anthropic", model: "sample" };

const CALLS: Record<string, Record<string, unknown>> = {
  bash: { command: "rm -rf build && sudo ls" },
  read: { path: "README.md" },
  write: { path: ".env", content: "A=1" },
  edit: { path: "src/index.ts", oldText: "a", newText: "b" },
};

/** One event of each kind, in the order of a short session, with what most hooks look for. */
export const sampleEvents = (): HookEvent[] => [
  { ...session, reason: "start" },
  { type: "message", text: "please debug this, and do it well", metadata: {}, agentId: "main", ...MODEL },
  { type: "params", message: "please debug this, and do it well", metadata: {}, agentId: "main", ...MODEL },
  { type: "agent_start" },
  { type: "turn_start", turnIndex: 0, timestamp: 1 },
  ...Object.entries(CALLS).flatMap(([toolName, input], index): HookEvent[] => {
    const call = { toolName, toolCallId: `call-${index}`, input };
    return [
      { type: "tool_call", ...call },
      {
        type: "tool_result",
        ...call,
        content: [{ type: "text", text: "a result with a token: ghp_0123456789" }],
        details: undefined,
        isError: false,
      },
    ];
  }),
  { type: "turn_end", turnIndex: 0, message: assistant, toolResults: [] },
  { type: "agent_end", messages: [user, assistant] },
  { ...session, reason: "before_branch", targetTurnIndex: 0 },
  { ...session, reason: "branch", targetTurnIndex: 0 },
  {
    ...session,
    reason: "before_compact",
    cutPoint: { firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false },
    messagesToSummarize: [user],
    messagesToKeep: [assistant],
    tokensBefore: 1000,
    model: { provider: "anthropic", id: "sample" },
    resolveApiKey: async () => "sample-key",
    signal: new AbortController().signal,
  },
  { ...session, reason: "before_switch" },
  { ...session, reason: "before_clear" },
  { ...session, reason: "shutdown" },
];
