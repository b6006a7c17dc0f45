import { expect, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { wrapToolsWithHooks } from "../../src/host/wrap-tools.ts";
import { startSession, temporaryFolder } from "../support/session.ts";
import { may, openclawSession } from "./openclaw-session.ts";

/** `after_tool_call`, the other plugin hooks, and the cost without any. */
const session = openclawSession();
const { plugin, file, call, said, errorsOf } = session;

const TELL = "(event, ctx) => console.log(JSON.stringify([event, ctx]))";

const after = plugin(
  "read",
  `on("before_tool_call", ({ params }) => ({ params: { path: params.path + ".txt" } }));
  on("after_tool_call", ${TELL});`,
  may({ rewriteInput: ["read"] }),
);
test("after each tool returns: handlers receive { toolName, params, result, error, durationMs }", async () => {
  await session.run(after, { path: "a" }, ({ path }: { path: string }) => `content of ${path}`);
  const tool = { toolName: "read", toolCallId: "call-1" };
  const result = { content: [{ type: "text", text: "content of a.txt" }], details: { size: 16 } };
  expect(said(after)).toEqual([[{ ...tool, params: { path: "a.txt" }, result, durationMs: expect.any(Number) }, tool]]);
});

test("after each tool throws: handlers receive `error` instead of `result`, and the agent gets the tool's own error", async () => {
  const failing = session.run(after, { path: "b" }, () => {
    throw new Error("no such file");
  });
  await expect(failing).rejects.toThrow("no such file");
  const [event] = said(after).at(-1) as [object];
  expect(event).toEqual({
    toolName: "read",
    toolCallId: "call-1",
    params: { path: "b.txt" },
    error: "no such file",
    durationMs: expect.any(Number),
  });
});

const result = (toolName: string, input: Record<string, unknown> = {}) =>
  session.host.emit({
    type: "tool_result",
    toolName,
    toolCallId: "call-1",
    input,
    content: [{ type: "text", text: "secret" }],
    isError: false,
  });

const blocked = plugin(
  "blocked",
  `on("before_tool_call", () => ({ block: true }));
  on("after_tool_call", ${TELL});`,
);
test("after a blocked tool, which did not run, no handler runs", async () => {
  await expect(session.run(blocked, {}, () => "ran")).rejects.toThrow("Blocked by hook blocked");
  expect(said(blocked)).toEqual([]);
});

const parallel = plugin(
  "parallel",
  `let open;
  const second = new Promise((done) => { open = done; });
  on("after_tool_call", async () => { console.log('"first starts"'); await second; console.log('"first ends"'); }, { priority: 1 });
  on("after_tool_call", async () => { console.log('"second starts"'); open(); });`,
);
test("handlers run in parallel, started in priority order", async () => {
  await result(parallel);
  expect(said(parallel)).toEqual(["first starts", "second starts", "first ends"]);
});

const returning = plugin(
  "returning",
  `on("after_tool_call", () => ({ content: [], result: { content: [] }, isError: true, block: true }));
  on("after_tool_call", (event) => { event.result.content[0].text = "changed"; event.result = {}; });`,
  may({ rewriteResult: ["*"] }),
);
test("it is a void hook: results are ignored, and so are changes", async () => {
  expect(await result(returning)).toBeUndefined();
  expect(errorsOf(returning)).toEqual([]);
});

const failing = plugin(
  "failing",
  `on("after_tool_call", () => { throw new Error("first"); }, { priority: 3 });
  on("after_tool_call", async () => { throw new Error("second"); }, { priority: 2 });
  on("after_tool_call", async () => { await null; console.log('"third"'); }, { priority: 1 });`,
);
test("each failure is caught and logged, and affects nothing else", async () => {
  expect(await session.run(failing, {}, () => "fine")).toMatchObject({ content: [{ text: "fine" }] });
  expect(said(failing)).toEqual(["third"]);
  const errors = errorsOf(failing).map(({ event, code, error }) => [event, code, error]);
  expect(errors.sort()).toEqual([
    ["tool_result", "HOOK_THREW", "first"],
    ["tool_result", "HOOK_THREW", "second"],
  ]);
});

const guarding = plugin(
  "guarding",
  `on("after_tool_call", ({ params }) => { if (params.fail) throw new Error("cannot look"); });`,
  may({ guardResult: ["guarding"] }),
);
test("a plugin with a grant to guard results withholds a result if it fails", async () => {
  expect(await result(guarding)).toBeUndefined();
  expect(await result(guarding, { fail: true })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^Result withheld: .*cannot look/) }],
  });
});

const LISTENER = `export default { register(api) {
  for (const name of ["message_received", "session_start", "session_end", "agent_end"])
    api.on(name, (event, ctx) => {
      const { timestamp, ...rest } = event;
      const read = (field) => { try { return event[field]; } catch (error) { return error.code; } };
      console.log(JSON.stringify([name, rest, ctx, typeof timestamp, read("messages"), read("messageCount")]));
      return { cancel: true, text: "x", content: "x" };
    });
} };`;
const counting = file("counting", LISTENER, may({ rewriteMessage: true }, { capabilities: { session: ["entries"] } }));
const plain = file("plain", LISTENER, may({ rewriteMessage: true }));

test("message_received: who, what, when, and its tags; nothing that it returns counts", async () => {
  const event = { type: "message", text: "hello", metadata: { channel: "tui" } } as const;
  expect(await session.host.emit({ ...event, agentId: "main", sessionKey: "k" })).toBeUndefined();
  expect(said(plain).at(-1)).toEqual([
    "message_received",
    { from: "user", content: "hello", metadata: { channel: "tui" } },
    { agentId: "main", sessionKey: "k", channelId: "" },
    "number",
    null,
    null,
  ]);
});

const ENTRIES = [{ type: "session" }, { type: "message" }, { type: "message" }, { type: "compaction" }];
const change = async (reason: "start" | "shutdown" | "switch" | "clear" | "branch" | "before_switch") => {
  const before = said(counting).length;
  const files = { sessionFile: "/s/new.jsonl", previousSessionFile: "/s/old.jsonl" };
  const given = { type: "session", entries: ENTRIES, targetTurnIndex: 0, ...files } as const;
  expect(await session.host.emit({ ...given, reason } as never)).toBeUndefined();
  return said(counting)
    .slice(before)
    .map((line) => (line as unknown[]).slice(0, 3));
};
const started = (more: object = {}) => [
  "session_start",
  { sessionId: "/s/new.jsonl", ...more },
  { sessionId: "/s/new.jsonl" },
];
const ended = ["session_end", { sessionId: "/s/old.jsonl" }, { sessionId: "/s/old.jsonl" }];

test("session_start: a session begins, and no handler's result prevents it", async () => {
  expect(await change("start")).toEqual([started()]);
});

test("session_end: a session ends, with the number of its messages", async () => {
  expect(await change("shutdown")).toEqual([
    ["session_end", { sessionId: "/s/new.jsonl", messageCount: 2 }, { sessionId: "/s/new.jsonl" }],
  ]);
});

test("when one session replaces another, the old one ends before the new one starts", async () => {
  expect(await change("switch")).toEqual([ended, started()]);
  expect(await change("clear")).toEqual([ended, started()]);
  expect(await change("branch")).toEqual([ended, started({ resumedFrom: "/s/old.jsonl" })]);
});

test("a session that is only about to change neither ends nor starts", async () => {
  expect(await change("before_switch")).toEqual([]);
});

const MESSAGES = [{ role: "user", content: "hi" }];
test("agent_end: the messages, and that it succeeded", async () => {
  await session.host.emit({ type: "agent_end", messages: MESSAGES });
  const [name, event] = said(counting).at(-1) as unknown[];
  expect([name, event]).toEqual(["agent_end", { success: true, messages: MESSAGES }]);
});

test("messages need the session power: without it, the field is not listed and cannot be read", async () => {
  await session.host.emit({ type: "agent_end", messages: MESSAGES });
  const context = { workspaceDir: expect.stringMatching(/work$/) };
  expect(said(plain).at(-1)).toEqual(["agent_end", { success: true }, context, "undefined", "NOT_GRANTED", null]);
});

test("a session's end is a plain event even for a plugin that may not count its messages", async () => {
  await change("shutdown");
  const ended = ["session_end", { sessionId: "/s/new.jsonl" }, { sessionId: "/s/new.jsonl" }];
  expect(said(plain).at(-1)).toEqual([...ended, "undefined", null, "NOT_GRANTED"]);
});

test("tools are only wrapped when hooks are registered: without any, the tool itself runs, on what it was given", async () => {
  const folder = temporaryFolder();
  const options = { cwd: folder, home: `${folder}/home`, agentDir: `${folder}/agent`, discover: false } as const;
  await using host = await HookHost.start(options);
  const params = { when: new Date(), list: new Map() };
  const calls: unknown[][] = [];
  const output = { content: [] };
  const tool = {
    name: "bash",
    execute: async (...given: unknown[]) => {
      calls.push(given);
      return output;
    },
  };
  const { signal } = new AbortController();
  const onUpdate = () => {};
  const [wrapped] = wrapToolsWithHooks([tool], host);
  expect(await wrapped?.execute("1", params, signal, onUpdate)).toBe(output);
  expect(calls).toHaveLength(1);
  for (const [at, given] of ["1", params, signal, onUpdate].entries()) expect(calls[0]?.[at]).toBe(given);
  expect(host.hasHandlers("tool_call")).toBe(false);
});

test("a host hears only of what plugins registered for", async () => {
  const types = ["tool_call", "tool_result", "message", "session", "agent_end"];
  expect(session.hook(plain)?.events).toEqual(types.slice(2));
  expect(session.hook(after)?.events).toEqual(types.slice(0, 2));
  expect(session.hook(failing)?.events).toEqual(["tool_result"]);
  for (const type of types) expect([type, session.host.hasHandlers(type)]).toEqual([type, true]);
  for (const type of ["params", "turn_start", "agent_start"]) expect(session.host.hasHandlers(type)).toBe(false);
  expect(await call("unknown")).toBeUndefined();
});

test("the context says which session it is, where there is a file of it", async () => {
  const source = `export default { register(api) {
    for (const name of ["before_tool_call", "after_tool_call", "tool_result_persist", "message_received", "before_prompt_build", "agent_end"])
      api.on(name, (event, ctx) => { console.log(name, ctx.sessionId); });
  } };`;
  const { host, log } = await startSession(
    { mine: { source, grant: may({ see: ["*", "before_agent_start"] }) } },
    { sessionFile: "/s/1.jsonl" },
  );
  const tool = { toolName: "bash", toolCallId: "1", input: {} };
  await host.emitToolCall({ type: "tool_call", ...tool });
  await host.emit({ type: "tool_result", ...tool, content: [], isError: false });
  await host.emit({ type: "message", text: "hi", metadata: {} });
  await host.emit({ type: "before_agent_start", prompt: "hi", systemPrompt: "" });
  await host.emit({ type: "agent_end", messages: [] });
  const names = log.map(({ text }) => text.replace(" /s/1.jsonl", ""));
  expect(names.sort()).toEqual([
    "after_tool_call",
    "agent_end",
    "before_prompt_build",
    "before_tool_call",
    "message_received",
    "tool_result_persist",
  ]);
});
