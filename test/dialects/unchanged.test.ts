import { expect, test } from "vitest";
import { EVENT_NAMES } from "../../sandbox/wire/events.ts";
import type { HookEvent } from "../../src/hook-api.ts";
import { changesIn } from "../../src/verdicts/changes.ts";
import { sharedSession, startSession } from "../support/session.ts";

const RIGHTS = {
  rewriteInput: ["*"],
  rewriteResult: ["*"],
  rewriteMessage: true,
  rewriteParams: true,
  rewriteContext: true,
  rewritePrompt: true,
  rewriteUserInput: true,
};

/** Hooks that answer each event with a copy of what they were shown, by dialect. */
const REPEATERS: Record<string, string> = {
  pi: `const copy = (value: any) => value === undefined ? undefined : JSON.parse(JSON.stringify(value));
    const MEMBERS: Record<string, string[]> = {
      tool_result: ["content", "details", "isError", "structuredContent"],
      message: ["text", "metadata"],
      params: ["thinkLevel", "reasoningLevel", "temperature"],
      context: ["messages"],
      context_with_system: ["messages"],
      before_agent_start: ["systemPrompt"],
      agent_before_settle: ["entries"],
      message_end: ["message"],
      cache_warming_decision: ["action"],
      input: ["text", "images"],
    };
    export default (pi: any) => {
      pi.on("tool_call", (event: any) => { event.input = copy(event.input); });
      pi.on("before_provider_request", (event: any) => copy(event.payload));
      pi.on("before_provider_headers", (event: any) => { event.headers = copy(event.headers); });
      for (const [type, members] of Object.entries(MEMBERS)) pi.on(type, (event: any): any => ({
        ...(type === "input" ? { action: "transform" } : {}),
        ...Object.fromEntries(members.map((one) => [one, copy(event[one])]).filter(([, value]) => value !== undefined)),
      }));
    };`,
  "pi, in another order": `export default (pi: any) => pi.on("tool_result", (event: any): any => ({
      content: event.content.map((item: any) => Object.fromEntries(Object.entries(item).reverse())) }));`,
  interceptors: `const copy = (value: any) => JSON.parse(JSON.stringify(value));
    export default [
      { id: "b", name: "tool.before", handler(_: any, output: any) { output.args = copy(output.args); } },
      { id: "a", name: "tool.after", handler(_: any, output: any) { output.result = copy(output.result); } },
      { id: "m", name: "message.before", handler(_: any, output: any) { output.metadata = copy(output.metadata); } },
      { id: "p", name: "params.before", handler(_: any, output: any) { output.thinkLevel = String(output.thinkLevel); } },
    ];`,
  openclaw: `export default { id: "p", register(api: any) {
      api.on("before_tool_call", (event: any): any => ({ params: JSON.parse(JSON.stringify(event.params)) })); } };`,
  strands: `import { AfterToolCallEvent, BeforeToolCallEvent, TextBlock, ToolResultBlock } from "@strands-agents/sdk";
    export default { name: "plugin", initAgent(agent: any) {
      agent.addHook(BeforeToolCallEvent, (event: any) => {
        event.toolUse = { ...event.toolUse, input: JSON.parse(JSON.stringify(event.toolUse.input)) };
      });
      agent.addHook(AfterToolCallEvent, (event: any) => {
        const { toolUseId, status, content } = event.result;
        event.result = new ToolResultBlock({ toolUseId, status, content: content.map((one: any) => new TextBlock(one.text)) });
      });
    } };`,
};

const CALL = { toolName: "bash", toolCallId: "c1", input: { command: "ls", with: [1, { a: null }] } };
const TEXT = { type: "text", text: "plain" };
const MESSAGES = [{ role: "user", content: "one" }];

// biome-ignore format: a table
const EVENTS: object[] = [
  { type: "tool_call", ...CALL },
  { type: "tool_result", ...CALL, content: [TEXT], isError: false },
  { type: "tool_result", ...CALL, content: [{ ...TEXT, gone: undefined }], details: { b: [1], a: {} }, isError: true },
  { type: "tool_result", ...CALL, content: [TEXT], structuredContent: { text: "plain" }, isError: false },
  { type: "message", text: "hi", metadata: { a: 1 } },
  { type: "message", text: "hi \u001b[1m" },
  { type: "params", provider: "p", model: "m", thinkLevel: "low", reasoningLevel: "on", temperature: 1 },
  { type: "context", messages: MESSAGES },
  { type: "context_with_system", messages: MESSAGES },
  { type: "before_provider_request", payload: { model: "m", messages: MESSAGES } },
  { type: "before_provider_headers", headers: { "x-one": "1", authorization: "key" } },
  { type: "before_agent_start", prompt: "p", systemPrompt: "Be brief.", systemPromptOptions: {} },
  { type: "agent_before_settle", entries: [{ type: "custom", customType: "mine" }] },
  { type: "message_end", message: MESSAGES[0] },
  { type: "cache_warming_decision", action: "warm" },
  { type: "input", text: "hi", images: [] },
];

const events = { see: [...EVENT_NAMES], block: true };
const hooks = Object.entries(REPEATERS).flatMap(([dialect, source]) =>
  Object.entries({ granted: RIGHTS, bare: {} }).map(([name, rights]) => [
    `${name} ${dialect}`,
    { source, grant: { capabilities: { events: { ...events, ...rights }, session: ["entries" as const] } } },
  ]),
);

const session = sharedSession(Object.fromEntries(hooks));

test.each(EVENTS)("an answer that repeats %j is no change, with and without the right", async (event) => {
  const { host, errors, audit } = session;
  expect(host.hooks.map(({ state }) => state)).toEqual(host.hooks.map(() => "active"));
  errors.length = 0;
  audit.length = 0;
  const given = event as HookEvent;
  if (given.type === "tool_result")
    expect(await host.emitToolResult(given)).toEqual({ result: undefined, changedBy: [] });
  else expect(await host.emit(given)).toBeUndefined();
  expect(errors).toEqual([]);
  expect(audit.filter(({ outcome }) => !["pass", "allowed"].includes(outcome))).toEqual([]);
});

test("a guard of results that repeats one, and may not change it, does not withhold it", async () => {
  const source = REPEATERS.pi as string;
  const grant = { capabilities: { events: { see: ["tool_result"], guardResult: ["*"] } } };
  const { host } = await startSession({ guard: { source, grant } });
  expect(await host.emitToolResult(EVENTS[1] as never)).toEqual({ result: undefined, changedBy: [] });
});

test("a person's images are changed without a word about their text", async () => {
  const source = `export default (pi: any) => pi.on("input", (event: any): any => ({ action: "transform", text: event.text, images: [] }));`;
  const grant = {
    capabilities: { events: { see: ["input"], rewriteUserInput: true }, session: ["messages" as const] },
  };
  const { host } = await startSession({ images: { source, grant } });
  const images = [{ type: "image", data: "AA==", mimeType: "image/png" }];
  const result = await host.emit({ type: "input", text: "hi", images } as never);
  expect(result).toEqual({ action: "transform", text: "hi", images: [] });
});

const cycle: { self?: object } = {};
cycle.self = cycle;

// biome-ignore format: a table
test.each<[claim: string, shown: object, answer: object, changes: object | undefined]>([
  ["the same is no change", { content: [TEXT] }, { content: [{ ...TEXT }] }, undefined],
  ["another order of keys is no change", { details: { a: 1, b: 2 } }, { details: { b: 2, a: 1 } }, undefined],
  ["the order of a list is one", { content: [1, 2] }, { content: [2, 1] }, { content: [2, 1] }],
  ["another type of a value is one", { details: { a: 1 } }, { details: { a: "1" } }, { details: { a: "1" } }],
  ["one key more is one", { details: {} }, { details: { a: null } }, { details: { a: null } }],
  ["one key less is one", { details: { a: null } }, { details: {} }, { details: {} }],
  ["null in place of nothing is one", {}, { structuredContent: null }, { structuredContent: null }],
  ["only what differs is one", { text: "a", isError: false }, { text: "b", isError: false }, { text: "b" }],
  ["an inherited member was not shown", {}, { toString: "a" }, { toString: "a" }],
  ["what JSON cannot hold was not shown", { details: cycle }, { details: cycle }, { details: cycle }],
])("%s", (_claim, shown, answer, changes) => {
  expect(changesIn({ isRehearsal: false }, shown, answer)).toEqual(changes);
});

test("in a rehearsal what repeats the event counts, too: another event might have been changed", () => {
  expect(changesIn({ isRehearsal: true }, { text: "a" }, { text: "a" })).toEqual({ text: "a" });
  expect(changesIn({ isRehearsal: true }, { text: "a" }, {})).toBeUndefined();
});
