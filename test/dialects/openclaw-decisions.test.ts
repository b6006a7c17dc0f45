import { describe, expect, test } from "vitest";
import type { HookEvent } from "../../src/hook-api.ts";
import { startSession } from "../support/session.ts";
import { may } from "./openclaw-session.ts";

/** Plugin hooks besides `before_tool_call` that decide by what their handlers return. */

const plugin = (handlers: readonly string[], grant: object) => ({
  source: `export default { id: "p", register(api) { ${handlers.map((one) => `api.on(${one});`).join("\n")} } };`,
  grant: grant as ReturnType<typeof may>,
});

const PROMPT = may({ see: ["before_agent_start"], rewritePrompt: true }, { capabilities: { session: ["messages"] } });
const START: HookEvent = {
  type: "before_agent_start",
  messageType: "user",
  prompt: "do it",
  systemPrompt: "You are an agent.",
};

describe("before a prompt is built", () => {
  async function decided(handlers: readonly string[], grant: object = PROMPT) {
    const { host, errors, log } = await startSession({ mine: plugin(handlers, grant) });
    return { result: await host.emit(START), errors, said: log.map(({ text }) => text) };
  }
  const message = (text: string) => ({
    customType: "openclaw",
    content: `Message from hook mine (not from the user): ${text}`,
    display: false,
  });

  test.each(["before_prompt_build", "before_agent_start"])("%s adds context, and sees the prompt", async (name) => {
    const handler = `"${name}", (event, ctx) => { console.log(event.prompt, event.messages.length, ctx.workspaceDir !== "");
      return { prependContext: "first", appendContext: "last", prependSystemContext: "rules" }; }`;
    const { result, said } = await decided([handler]);
    expect(result).toEqual({ messages: [message("rules\n\nfirst\n\nlast")] });
    expect(said).toEqual(["do it 0 true"]);
  });

  test("a later system prompt counts, and contexts are collected, by priority", async () => {
    const { result } = await decided([
      `"before_agent_start", () => ({ prependContext: "c" })`,
      `"before_prompt_build", () => ({ systemPrompt: "one", prependContext: "a" }), { priority: 2 }`,
      `"before_prompt_build", async () => ({ systemPrompt: "two", prependContext: "b" }), { priority: 1 }`,
    ]);
    expect(result).toEqual({ systemPrompt: "two", messages: [message("a"), message("b"), message("c")] });
  });

  test.each([
    ["nothing", "undefined"],
    ["empty texts", '({ prependContext: "" })'],
    ["a model", '({ modelOverride: "m" })'],
  ])("%s decides nothing", async (_what, returned) => {
    const { result, errors } = await decided([`"before_prompt_build", () => ${returned}`]);
    expect([result, errors]).toEqual([undefined, []]);
  });

  test.each([
    ["a text", '"context"', "not an object"],
    ["a mistyped key", '({ prependContexts: "x" })', "did you mean prependContext?"],
  ])("%s is an error", async (_what, returned, reason) => {
    const { errors } = await decided([`"before_prompt_build", () => (${returned})`]);
    expect(errors).toMatchObject([{ error: expect.stringContaining(reason) }]);
  });

  test("needs the right", async () => {
    const { result, errors } = await decided(
      [`"before_prompt_build", () => ({ prependContext: "x" })`],
      may({ see: ["before_agent_start"] }),
    );
    expect(result).toBeUndefined();
    expect(errors).toMatchObject([{ code: "NOT_GRANTED" }]);
  });
});

describe("before a result is kept", () => {
  const RESULT: HookEvent = {
    ...{ type: "tool_result", toolName: "bash", toolCallId: "1", input: { command: "ls" }, isError: false },
    ...{ content: [{ type: "text", text: "token=abc" }], details: { code: 0 } },
  };
  const redacts = (from: string, to: string): string =>
    `"tool_result_persist", ({ message }) => ({ message: { ...message, details: { ...message.details, ${to}: 1 },
       content: message.content.map((part) => ({ ...part, text: part.text.replace("${from}", "${to}") })) } })`;

  async function kept(handlers: readonly string[], grant: object = may({ rewriteResult: ["bash"] })) {
    const { host, errors } = await startSession({ mine: plugin(handlers, grant) });
    return { result: await host.emit(RESULT), errors };
  }

  test("handlers replace it one after the other", async () => {
    const { result } = await kept([redacts("abc", "x"), redacts("x", "gone")]);
    expect(result).toEqual({ content: [{ type: "text", text: "token=gone" }], details: { code: 0, x: 1, gone: 1 } });
  });

  test("needs the right", async () => {
    const { result, errors } = await kept([redacts("abc", "x")], may({}));
    expect(result).toBeUndefined();
    expect(errors).toMatchObject([{ code: "NOT_GRANTED" }]);
  });

  test("a message without content is an error", async () => {
    const { errors } = await kept(['"tool_result_persist", () => ({ message: { content: "x" } })']);
    expect(errors).toMatchObject([{ code: "BAD_RESULT", error: expect.stringContaining("without content") }]);
  });

  test("one that fails withholds the result, with the right to guard it", async () => {
    const grant = may({ rewriteResult: ["bash"], guardResult: ["bash"] });
    const { result } = await kept(['"tool_result_persist", () => { throw new Error("broken"); }'], grant);
    expect(JSON.stringify(result)).not.toContain("token");
  });
});

test("compactions and a cleared session are told", async () => {
  const names = ["before_compaction", "after_compaction", "before_reset"];
  const handlers = names.map((name) => `"${name}", (event) => console.log("${name}", event.sessionId)`);
  const { host, log } = await startSession({ mine: plugin(handlers, may({ see: ["session"] })) });
  const base = { type: "session" as const, sessionFile: "/s.jsonl", previousSessionFile: null, entries: [] };
  const { signal } = new AbortController();
  await host.emit({
    ...{ ...base, reason: "before_compact", tokensBefore: 9, messagesToSummarize: [], messagesToKeep: [], model: {} },
    ...{ cutPoint: { firstKeptEntryIndex: 0, turnStartIndex: 0, isSplitTurn: false }, signal },
    resolveApiKey: async () => undefined,
  });
  const compactionEntry = {
    ...{ type: "compaction" as const, timestamp: "2026-01-01T00:00:00Z", summary: "s", firstKeptEntryIndex: 0 },
    tokensBefore: 9,
  };
  await host.emit({ ...base, reason: "compact", compactionEntry, tokensBefore: 9, fromHook: false });
  await host.emit({ ...base, reason: "before_clear" });
  expect(log.map(({ text }) => text)).toEqual(names.map((name) => `${name} /s.jsonl`));
});
