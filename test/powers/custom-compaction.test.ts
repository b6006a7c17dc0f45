import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import type { HookEvent } from "../../src/hook-api.ts";
import { scriptedUi, startSession } from "../support/session.ts";

const source = readFileSync(
  join(PACKAGE_ROOT, "node_modules/@mariozechner/pi-coding-agent/examples/hooks/custom-compaction.ts"),
  "utf8",
);
const ALL = {
  events: { see: ["session"], compact: true },
  ui: ["notify" as const],
  session: ["entries" as const],
  model: ["google"],
};

const MESSAGES = {
  messagesToSummarize: [
    { role: "user", content: [{ type: "text", text: "first" }], timestamp: 1 },
    {
      role: "bashExecution",
      command: "ls",
      output: "a.txt",
      exitCode: 2,
      cancelled: false,
      truncated: false,
      timestamp: 2,
    },
    { role: "note", content: "only for people", timestamp: 3 },
  ],
  messagesToKeep: [{ role: "assistant", content: [{ type: "text", text: "second" }], timestamp: 4 }],
};

/** The shipped example in a session whose agent answers like a model. */
async function compact(capabilities: object, complete?: (...args: never[]) => unknown) {
  const ui = scriptedUi();
  const asked: unknown[][] = [];
  const model = {
    complete: (...args: unknown[]) => {
      asked.push(args);
      return complete ? complete(...(args as never[])) : { content: [{ type: "text", text: "the summary" }] };
    },
    findModel: (provider: string, id: string) => ({ provider, id, api: "test", cost: { input: 1 } }),
  };
  const session = await startSession(
    { compaction: { source, grant: { capabilities } } },
    { ui, model: model as never },
  );
  const over = new AbortController();
  const emit = () =>
    session.host.emit({
      type: "session",
      reason: "before_compact",
      entries: [{ type: "message" }, { type: "message" }],
      sessionFile: null,
      previousSessionFile: null,
      cutPoint: { firstKeptEntryIndex: 1, turnStartIndex: -1, isSplitTurn: false },
      previousSummary: "what was before",
      ...MESSAGES,
      tokensBefore: 12_345,
      customInstructions: undefined,
      model: { provider: "google", id: "x" },
      resolveApiKey: async () => "the key",
      signal: over.signal,
    } as unknown as HookEvent);
  return { ...session, ui, asked, emit, over };
}

test("the shipped custom-compaction runs unmodified with the powers it needs", async () => {
  const { emit, asked, ui, audit } = await compact(ALL);
  expect(await emit()).toEqual({
    compactionEntry: {
      type: "compaction",
      timestamp: expect.any(String),
      summary: "the summary",
      firstKeptEntryIndex: 2,
      tokensBefore: 12_345,
    },
  });
  const [[model, context, options, origin]] = asked as [
    [object, { messages: { role: string; content: { text: string }[] }[] }, object, object],
  ];
  expect(model).toEqual({ provider: "google", id: "gemini-2.5-flash", api: "test", cost: { input: 1 } });
  expect(context.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user"]);
  expect(context.messages[1]?.content[0]?.text).toBe("Ran `ls`\n```\na.txt\n```\n\nCommand exited with code 2");
  expect(context.messages[3]?.content[0]?.text).toContain("what was before");
  expect(options).toEqual({ apiKey: "the key", maxTokens: 8192, signal: expect.any(AbortSignal) });
  expect(origin).toEqual({ hook: "compaction" });
  expect(ui.shown.at(-1)?.title).toContain("summarizing 4 messages (12,345 tokens) with gemini-2.5-flash");
  expect(JSON.stringify(audit)).not.toContain("the key");
  expect(audit).toContainEqual(
    expect.objectContaining({ capability: "model.complete", value: "google gemini-2.5-flash", outcome: "allowed" }),
  );
});

test.each([
  ["model", { ...ALL, model: undefined }, "Could not find Gemini Flash model"],
  ["model for this provider", { ...ALL, model: ["anthropic"] }, "Could not find Gemini Flash model"],
])("without the power %s it says so and the agent compacts as usual", async (_name, capabilities, says) => {
  const { emit, asked, ui } = await compact(JSON.parse(JSON.stringify(capabilities)));
  expect(await emit()).toBeUndefined();
  expect(asked).toEqual([]);
  expect(ui.shown.at(-1)?.title).toContain(says);
});

test("without a grant for the session's entries it reads none", async () => {
  const { session: _session, ...capabilities } = ALL;
  const { emit, asked, errors } = await compact(capabilities);
  expect(await emit()).toBeUndefined();
  expect(asked).toEqual([]);
  expect(errors[0]).toMatchObject({ code: "NOT_GRANTED" });
});

test("a model that fails, or an agent without one, is an error to the hook only", async () => {
  const failing = await compact(ALL, () => Promise.reject(new Error("no quota")));
  expect(await failing.emit()).toBeUndefined();
  expect(failing.ui.shown.at(-1)).toMatchObject({ title: expect.stringContaining("Compaction failed: no quota") });
});

test("an aborted compaction ends the model's answer", async () => {
  const { emit, over } = await compact(
    ALL,
    ((_model: never, _context: never, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        over.abort();
      })) as never,
  );
  expect(await emit()).toBeUndefined();
});
