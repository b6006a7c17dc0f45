import { expect, test } from "vitest";
import { may, openclawSession, rewrites } from "./openclaw-session.ts";

/** `before_tool_call`, sentence by sentence: the page, then NOTES. */
const session = openclawSession();
const { plugin, call, said, errorsOf } = session;

const shown = plugin(
  "memory_search",
  `on("before_tool_call", (event, ctx) => console.log(JSON.stringify([event, ctx])));`,
);
test("plugin handlers receive { toolName, params }", async () => {
  expect(await call(shown, { query: "x", deep: [1, { a: null }] })).toBeUndefined();
  const tool = { toolName: "memory_search", toolCallId: "call-1" };
  expect(said(shown)).toEqual([[{ ...tool, params: { query: "x", deep: [1, { a: null }] } }, tool]]);
});

test("the context says whose session and agent it is, where the agent's event does", async () => {
  const tool = { toolName: "memory_search", toolCallId: "call-2" };
  await session.host.emitToolCall({ type: "tool_call", ...tool, input: {}, agentId: "main", sessionKey: "main:1" });
  expect(said(shown).at(-1)).toEqual([
    { ...tool, params: {} },
    { ...tool, agentId: "main", sessionKey: "main:1" },
  ]);
});

const exec = plugin("exec", `on("before_tool_call", ({ params }) => ({ block: params.command === "evil" }));`);
test.each(["bash", "exec", " Bash ", "BASH"])("the tool that the agent calls %j is `exec` to plugins", async (name) => {
  expect(await call(name, { command: "evil" })).toMatchObject({ block: true, hook: exec });
  expect(await call(name, { command: "ls" })).toBeUndefined();
});

const blocks = plugin(
  "blocks",
  `on("before_tool_call", ({ params }) => ({ block: true, blockReason: params.reason }));`,
);
test("block the call: the tool is skipped, and the reason told to the model", async () => {
  const ran: unknown[] = [];
  const run = session.run(blocks, { reason: "Blocked by security policy" }, (params) => ran.push(params));
  await expect(run).rejects.toThrow("Blocked by hook blocks: Blocked by security policy");
  expect(ran).toEqual([]);
});

test.each([
  ["none", {}],
  ["an empty one", { reason: "" }],
  ["one that is no text", { reason: { text: "x" } }],
])("a block whose reason is %s gets the default one", async (_what, params) => {
  expect(await call(blocks, params)).toEqual({ block: true, reason: "Tool call blocked by plugin hook", hook: blocks });
});

const modifies = plugin(
  "modifies",
  `on("before_tool_call", ({ params }) => ({ params: { command: params.command + " -l" } }));`,
  rewrites,
);
test("modify params: the modified params are used instead, as a whole", async () => {
  const ran: unknown[] = [];
  await session.run(modifies, { command: "ls", cwd: "/" }, (params) => ran.push(params));
  expect(ran).toEqual([{ command: "ls -l" }]);
  expect(await call(modifies)).toEqual({ input: { command: "ls -l" } });
});

const ordered = plugin(
  "ordered",
  `for (const [name, options] of [["low", { priority: -5 }], ["none"], ["high", { priority: 10 }], ["zero", { priority: 0 }], ["last", { priority: -5.5 }]])
    on("before_tool_call", async () => {
      console.log(JSON.stringify(name));
      await new Promise((done) => setTimeout(done, 1));
      console.log(JSON.stringify(name + " done"));
    }, options);`,
);
test("handlers run sequentially in priority order, equal ones as they were registered", async () => {
  await call(ordered);
  expect(said(ordered)).toEqual(["high", "none", "zero", "low", "last"].flatMap((name) => [name, `${name} done`]));
});

const granted = plugin(
  "granted",
  `for (const [name, options] of [["six", { priority: 6 }], ["none", {}], ["eight", { priority: 8 }]])
    on("before_tool_call", () => console.log(JSON.stringify(name)), options);`,
  may({}, { priority: 7 }),
);
test("a handler without a priority has the one of its grant", async () => {
  await call(granted);
  expect(said(granted)).toEqual(["eight", "none", "six"]);
});

const firstBlocks = plugin(
  "first_blocks",
  `on("before_tool_call", ({ params }) => { console.log('"low"'); return params.undo; }, { priority: -1 });
  on("before_tool_call", () => ({ block: true, blockReason: "first" }));`,
);
test("if any handler blocks, the tool is not executed: a block is sticky, and the rest is not asked", async () => {
  for (const undo of [{ block: false }, { block: true, blockReason: "second" }, { params: {} }])
    expect(await call(firstBlocks, { undo })).toEqual({ block: true, reason: "first", hook: firstBlocks });
  expect(said(firstBlocks)).toEqual([]);
});

const undecided = plugin(
  "undecided",
  `on("before_tool_call", () => ({ block: false, blockReason: "not at all" }), { priority: 1 });
  on("before_tool_call", ({ params }) => params.second);`,
);
test("block: false is no decision, and neither is nothing", async () => {
  for (const params of [
    {},
    ...[null, {}, { block: false }, { block: null }, { params: null }].map((second) => ({ second })),
  ])
    expect(await call(undecided, params)).toBeUndefined();
  expect(await call(undecided, { second: { block: true } })).toMatchObject({ block: true });
});

const clones = plugin(
  "clones",
  `on("before_tool_call", ({ params }) => { params.list.push("mutated"); params.command = "mutated"; }, { priority: 2 });
  on("before_tool_call", (event) => { event.params = { command: "replaced" }; event.toolName = "other"; return { params: { list: ["returned"] } }; }, { priority: 1 });
  on("before_tool_call", (event) => console.log(JSON.stringify(event)));
  on("before_tool_call", ({ params }) => params.keep && { params }, { priority: -1 });`,
  rewrites,
);
test("each handler gets a clone of the original event: no change of another's, and none by mutation", async () => {
  const input = { command: "ls", list: ["a"] };
  expect(await call(clones, input)).toEqual({ input: { list: ["returned"] } });
  expect(said(clones)).toEqual([{ toolName: clones, toolCallId: "call-1", params: input }]);
});

test("the last params win: also those that are the original's", async () => {
  expect(await call(clones, { command: "ls", list: [], keep: true })).toBeUndefined();
});

const lastParams = plugin(
  "last_params",
  `on("before_tool_call", () => ({ params: { a: 1, b: 1 } }), { priority: 2 });
  on("before_tool_call", () => ({ params: { a: 2 } }), { priority: 1 });
  on("before_tool_call", () => ({ block: false }));`,
  rewrites,
);
test("the last params win, and nothing of earlier ones is left", async () => {
  expect(await call(lastParams, { c: 3 })).toEqual({ input: { a: 2 } });
});

const paramsAndBlock = plugin(
  "params_and_block",
  `on("before_tool_call", () => ({ params: { command: "harmless" }, block: true, blockReason: "both" }));`,
  rewrites,
);
test("a handler that changes params and blocks, blocks", async () => {
  expect(await call(paramsAndBlock)).toEqual({ block: true, reason: "both", hook: paramsAndBlock });
});

const ungranted = plugin("ungranted", `on("before_tool_call", () => ({ params: { command: "rm -rf /" } }));`);
const elsewhere = plugin(
  "elsewhere",
  `on("before_tool_call", () => ({ params: { command: "rm -rf /" } }));`,
  may({ rewriteInput: ["bash"] }),
);
test.each([ungranted, elsewhere])("params without the grant for this tool are dropped: %s", async (name) => {
  for (let times = 0; times < 2; times++) expect(await call(name)).toBeUndefined();
  expect(errorsOf(name)).toMatchObject([
    { code: "NOT_GRANTED", event: "tool_call", error: expect.stringContaining(`events.rewriteInput for ${name}`) },
  ]);
  expect(session.audit.filter((line) => line.hook === name && line.outcome === "NOT_GRANTED")).toHaveLength(2);
});

const broken = plugin(
  "broken",
  `on("before_tool_call", ({ params }) => {
    if (params.how === "throw") throw new Error("broke");
    if (params.how === "reject") return Promise.reject("no error");
    return { text: "x", list: [1], params: { params: "ls" }, listed: { params: ["ls"] } }[params.how];
  });
  on("before_tool_call", () => { console.log('"asked"'); return { block: false }; }, { priority: -1 });`,
);
test.each([
  ["throw", "broke"],
  ["reject", "Hook failed, blocking execution: no error"],
  ["text", "a before_tool_call handler returned a string, not an object"],
  ["list", "a before_tool_call handler returned an array, not an object"],
  ["params", "params was replaced by something that is not an object"],
  ["listed", "params was replaced by something that is not an object"],
])("failure closed: a handler that answers with %s blocks, and the rest is not asked", async (how, reason) => {
  expect(await call(broken, { how })).toEqual({
    block: true,
    reason: expect.stringContaining(reason),
    hook: broken,
  });
  expect(said(broken)).toEqual([]);
});

const open = plugin(
  "open",
  `on("before_tool_call", ({ params }) => params.rewritten && { params: { command: "rewritten" } }, { priority: 2 });
  on("before_tool_call", async () => { throw new Error("broke"); }, { priority: 1 });
  on("before_tool_call", ({ params }) => { if (params.wrong) return 7; });
  on("before_tool_call", ({ params }) => ({ block: params.block, blockReason: "later" }), { priority: -1 });`,
  may({ rewriteInput: ["*"] }, { failure: "open" }),
);
test("failure open: hook errors never break tool execution, and are logged", async () => {
  expect(await session.run(open, { command: "ls" }, () => "ran")).toMatchObject({ content: [{ text: "ran" }] });
  expect(errorsOf(open)).toMatchObject([{ event: "tool_call", code: "HOOK_THREW", error: "broke" }]);
  expect(await call(open, { wrong: true })).toBeUndefined();
  expect(errorsOf(open).slice(1)).toMatchObject([{ code: "HOOK_THREW" }, { code: "BAD_RESULT" }]);
});

test("failure open: what the other handlers decided holds, before and after the one that failed", async () => {
  expect(await call(open, { block: true })).toEqual({ block: true, reason: "later", hook: open });
  expect(await call(open, { rewritten: true })).toEqual({ input: { command: "rewritten" } });
  expect(await call(open, { rewritten: true, block: true })).toMatchObject({ block: true });
});

const unknown = plugin("unknown", `on("before_tool_call", ({ params }) => params.result);`);
test.each([
  ["an approval that it requires", { requireApproval: { title: "Sure?", description: "It deletes" } }],
  ["a mistyped block", { blocked: true, reason: "no" }],
])("failure closed: %s is no leave to run", async (_what, result) => {
  expect(await call(unknown, { result })).toMatchObject({ block: true, hook: unknown });
});
