import { expect } from "vitest";
import { agentEnd, bash, call, hears, type Row, result, session, turnEnd } from "./row.ts";

const user = { role: "user", content: "Please tidy up", timestamp: 1 };

/** Hooks that need no module of Node's: they hear, decide, ask and send. */
export const AGENT_ROWS: readonly Row[] = [
  {
    hook: "permission-prompt",
    env: () => ({ CI: "true" }),
    confirm: true,
    steps: [bash("ls"), bash("sudo reboot")],
    effect: ({ results }) => results,
    works: [undefined, { block: true, reason: "dangerous command in CI", hook: expect.any(String) }],
    unreported: true,
    least: { ...hears(["tool_call"], { block: true }), env: ["CI"] },
  },
  {
    hook: "redact-tokens",
    steps: [result("bash", { command: "cat x" }, "key ghp_0123456789abcdef0123 end"), agentEnd()],
    effect: ({ results, shown }) => [results[0], shown()],
    works: [{ content: [{ type: "text", text: "key [token] end" }] }, ["notify: 1 token(s) kept from the model"]],
    least: { ...hears(["tool_result", "agent_end"], { rewriteResult: ["bash"] }), ui: ["notify"] },
  },
  {
    hook: "tool-budget",
    steps: [{ type: "agent_start" }, ...[1, 2, 3, 4].map(() => bash("ls"))],
    effect: ({ results }) => results.slice(1),
    works: [
      ...[undefined, undefined, undefined],
      expect.objectContaining({ block: true, reason: "Budget of 3 tool calls used up; sum up what you know." }),
    ],
    powerless: true,
    least: hears(["agent_start", "tool_call"], { block: true }),
  },
  {
    hook: "rate-limit",
    env: () => ({ PI_BASH_PER_MINUTE: "1" }),
    steps: [bash("ls"), bash("ls")],
    effect: ({ results }) => results,
    works: [undefined, expect.objectContaining({ reason: "More than 1 shell commands a minute" })],
    least: { ...hears(["tool_call"], { block: true }), env: ["PI_BASH_PER_MINUTE"] },
  },
  {
    hook: "auto-continue",
    steps: [agentEnd(user, { role: "assistant", content: [], stopReason: "length" })],
    effect: ({ sent }) => sent,
    works: ["Please continue where you stopped."],
    least: { ...hears(["agent_end"]), session: ["messages"], send: {} },
  },
  {
    hook: "compaction-notes",
    steps: [
      {
        type: "session",
        reason: "before_compact",
        entries: [],
        sessionFile: null,
        previousSessionFile: null,
        cutPoint: { firstKeptEntryIndex: 4, turnStartIndex: -1, isSplitTurn: false },
        messagesToSummarize: [user],
        messagesToKeep: [],
        tokensBefore: 1000,
        model: { provider: "anthropic", id: "claude" },
        resolveApiKey: async () => "sk-real",
        signal: new AbortController().signal,
      },
    ],
    effect: ({ results }) => results,
    works: [
      {
        compactionEntry: {
          type: "compaction",
          timestamp: expect.any(String),
          summary: "The user asked for:\n- Please tidy up",
          firstKeptEntryIndex: 4,
          tokensBefore: 1000,
        },
      },
    ],
    samples: true,
    least: { ...hears(["session"], { compact: true }), session: ["messages"], model: ["anthropic"] },
  },
  {
    hook: "confirm-clear",
    confirm: false,
    steps: [turnEnd(0), turnEnd(1), session("before_clear")],
    effect: ({ results, shown }) => [results.at(-1), shown()],
    works: [{ cancel: true }, ["confirm: Leave this session?"]],
    powerless: true,
    least: { ...hears(["turn_end", "session"], { cancel: true }), ui: ["confirm"] },
  },
  {
    hook: "prefer-pnpm",
    steps: [bash("npm install left-pad && npm test")],
    effect: ({ results, shown }) => [results, shown()],
    works: [
      [{ input: { command: "pnpm install left-pad && pnpm test" } }],
      ["notify: npm install left-pad && npm test -> pnpm install left-pad && pnpm test"],
    ],
    least: { ...hears(["tool_call"], { block: false, rewriteInput: ["bash"] }), ui: ["notify"] },
  },
  {
    hook: "env-redact",
    env: () => ({ DEPLOY_TOKEN: "correct-horse-battery" }),
    steps: [result("bash", { command: "env" }, "DEPLOY_TOKEN=correct-horse-battery")],
    effect: ({ results }) => results,
    works: [{ content: [{ type: "text", text: "DEPLOY_TOKEN=${DEPLOY_TOKEN}" }] }],
    least: { ...hears(["tool_result"], { rewriteResult: ["bash"] }), env: ["DEPLOY_TOKEN"] },
  },
  {
    hook: "test-on-end",
    files: { "work/sum.test.mjs": 'import assert from "node:assert";\nassert.equal(1 + 1, 3);\n' },
    steps: [agentEnd()],
    effect: ({ sent }) => sent,
    works: ["The tests fail (exit 1); please look at them."],
    least: { ...hears(["agent_end"]), exec: [{ program: "node", args: ["--test"], fullAccess: true }], send: {} },
  },
  {
    hook: "team-config",
    env: ({ tmp }) => ({ PI_TEAM_CONFIG: `${tmp}/team.json` }),
    files: { "tmp/team.json": '{ "forbidden": ["web_fetch"] }' },
    steps: [call("web_fetch", { url: "https://example.com" }), bash("ls")],
    effect: ({ results }) => results,
    works: [expect.objectContaining({ reason: "The team does without web_fetch" }), undefined],
    least: { ...hears(["tool_call"], { block: true }), env: ["PI_TEAM_CONFIG"], fs: { read: ["$TMP/team.json"] } },
  },
];
