import { join } from "node:path";
import type { ExtensionEvent, HookEvent } from "../hook-api.ts";

const sessionIn = (world: SampleWorld) => ({
  type: "session" as const,
  entries: [],
  sessionFile: world.sessionFile ?? null,
  previousSessionFile: null,
});
const user = { role: "user", content: [{ type: "text", text: "please do" }], timestamp: 1 };

const MODEL = { provider: "anthropic", model: "sample" };

/** An answer of the model. */
export const SAMPLE_MESSAGE = {
  role: "assistant",
  content: [{ type: "text", text: "a sample answer" }],
  api: "sample",
  ...MODEL,
  usage: {
    input: 1000,
    output: 100,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 1100,
    cost: { input: 0.01, output: 0.01, cacheRead: 0, cacheWrite: 0, total: 0.02 },
  },
  stopReason: "stop",
  timestamp: 1,
};
const assistantOf = ({ provider, id }: SampleWorld["model"]) => ({
  ...SAMPLE_MESSAGE,
  content: [{ type: "text", text: "done" }],
  provider,
  model: id,
  timestamp: 2,
});

const SOMEWHERE: SampleWorld = { cwd: "/project", model: { provider: MODEL.provider, id: MODEL.model } };

const BASH = { command: "rm -rf build && sudo ls" };
const CALLS: readonly [toolName: string, input: Record<string, unknown>][] = [
  ["bash", BASH],
  // Neither harmless at sight nor harmful: some guards ask a model about such a command.
  ["bash", { command: "make install" }],
  ["read", { path: "README.md" }],
  ["write", { path: ".env", content: "A=1" }],
  ["edit", { path: "src/index.ts", oldText: "a", newText: "b" }],
];

const prompt = "please do it";

/** What the system prompt is made of, in this folder. */
export const systemPromptOptions = (cwd: string) => ({
  selectedTools: ["bash", "read", "write", "edit"],
  toolSnippets: {},
  toolGuidelines: {},
  promptGuidelines: [],
  sections: {},
  cwd,
  contextFiles: [{ path: join(cwd, "AGENTS.md"), content: "Be brief." }],
  skills: [],
});

/** One event of each kind that only extensions hear. */
function extensionEvents({ cwd, model }: SampleWorld): readonly ExtensionEvent[] {
  const { provider, id } = model;
  const assistant = assistantOf(model);
  const delta = { type: "text_delta", contentIndex: 0, delta: "done", partial: assistant };
  return [
    { type: "project_trust", cwd },
    { type: "resources_discover", cwd, reason: "startup" },
    { type: "input", text: prompt, source: "interactive" },
    { type: "input", text: "/skill:sample one two", source: "interactive" },
    { type: "input", text: "/skill:sample-own one two", source: "interactive" },
    { type: "user_bash", command: "git status", excludeFromContext: false, cwd },
    {
      type: "before_agent_start",
      messageType: "user",
      prompt,
      systemPrompt: "You are an agent.",
      systemPromptOptions: systemPromptOptions(cwd),
    },
    { type: "context", messages: [user, assistant] },
    { type: "context_with_system", messages: [user, assistant] },
    { type: "before_provider_request", payload: { model: "sample", messages: [user] } },
    { type: "before_provider_headers", headers: { "x-sample": "1" } },
    { type: "after_provider_response", status: 200, headers: {} },
    { type: "message_start", message: user },
    { type: "message_end", message: user },
    { type: "message_start", message: assistant },
    { type: "message_update", message: assistant, assistantMessageEvent: delta },
    { type: "message_end", message: assistant },
    { type: "tool_execution_start", toolCallId: "call-0", toolName: "bash", args: BASH },
    { type: "tool_execution_update", toolCallId: "call-0", toolName: "bash", args: BASH, partialResult: {} },
    { type: "tool_execution_end", toolCallId: "call-0", toolName: "bash", result: {}, isError: false },
    { type: "model_select", model: { provider, model: id, id }, source: "set" },
    { type: "thinking_level_select", level: "high", previousLevel: "low" },
    { type: "session_info_changed", name: "sample" },
    {
      type: "session_before_tree",
      preparation: {
        targetId: "a",
        oldLeafId: "b",
        commonAncestorId: null,
        entriesToSummarize: [],
        userWantsSummary: true,
      },
    },
    { type: "session_tree", newLeafId: "a", oldLeafId: "b" },
    { type: "agent_before_settle", entries: [], continue: false, outcome: "completed" },
    { type: "agent_settled", aborted: false },
    { type: "stop", isAgain: false, lastMessage: "done" },
    { type: "subagent_start", agentId: "sample-1", agentType: "explore" },
    { type: "subagent_stop", agentId: "sample-1", agentType: "explore", isAgain: false, lastMessage: "done" },
    { type: "permission_request", toolName: "bash", input: BASH },
    { type: "notification", kind: "idle", message: "waits for you" },
    { type: "worktree_remove", path: `${cwd}-worktree` },
  ];
}

/** Whose samples they are: the folder that the agent works in, its model, and where it keeps the session, if it does. */
export interface SampleWorld {
  cwd: string;
  sessionFile?: string;
  model: { provider: string; id: string };
}

/** One event of each kind, in the order of a short session, with what most hooks look for. */
export const sampleEvents = (world: SampleWorld = SOMEWHERE): HookEvent[] => [
  { ...sessionIn(world), reason: "start" },
  ...extensionEvents(world),
  ...hookEvents(world.model, sessionIn(world)),
];

/** The file of the session before. */
const before = (sessionFile: string | null): string | null =>
  sessionFile?.replace(/[^/\\]*$/, "2025-12-31T00-00-00-000Z_sample.jsonl") ?? null;

/** The events that pi's hooks hear, after the first. */
function hookEvents(model: SampleWorld["model"], session: ReturnType<typeof sessionIn>): HookEvent[] {
  const assistant = assistantOf(model);
  return [
    { type: "message", text: "please debug this, and do it well", metadata: {}, agentId: "main", ...MODEL },
    { type: "params", message: "please debug this, and do it well", metadata: {}, agentId: "main", ...MODEL },
    { type: "agent_start" },
    { type: "turn_start", turnIndex: 0, timestamp: 1 },
    ...CALLS.flatMap(([toolName, input], index): HookEvent[] => {
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
    { ...session, reason: "before_branch", targetTurnIndex: 0, entryId: "sample-1", position: "before" },
    { ...session, reason: "branch", targetTurnIndex: 0, entryId: "sample-1", position: "before" },
    {
      ...session,
      reason: "before_compact",
      cutPoint: { firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false },
      messagesToSummarize: [user],
      messagesToKeep: [assistant],
      tokensBefore: 1000,
      preparation: {
        firstKeptEntryId: "sample-2",
        messagesToSummarize: [user],
        turnPrefixMessages: [],
        isSplitTurn: false,
        tokensBefore: 1000,
        fileOps: { read: [], written: [], edited: [] },
        settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
      },
      branchEntries: [],
      willRetry: false,
      model,
      resolveApiKey: async () => "sample-key",
      signal: new AbortController().signal,
    },
    { ...session, reason: "before_switch", targetSessionFile: "/project/sample.jsonl" },
    { ...session, reason: "before_clear" },
    { ...session, reason: "clear", cause: "new", previousSessionFile: before(session.sessionFile) },
    { ...session, reason: "shutdown" },
  ];
}
