import { describe, expect, test } from "vitest";
import { may, openclawSession, rewrites } from "./openclaw-session.ts";

/** `before_tool_call`, sentence by sentence: the page, then what it leaves out. */
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

/** Handlers of `before_tool_call`, by their bodies, with `event` and `params` in scope, and their options. */
const handlers = (...all: [body: string, options?: object][]): string =>
  all
    .map(([body, options]) => {
      const handler = `${body.includes("await ") ? "async " : ""}(event) => { const { params } = event; ${body} }`;
      return `on("before_tool_call", ${handler}, ${JSON.stringify(options)});`;
    })
    .join("\n");
const at = (priority: number) => ({ priority });
const tell = (name: string): string => `console.log(${JSON.stringify(JSON.stringify(name))});`;

const blocked = (reason: unknown) => ({ block: true, reason, hook: expect.any(String) });
const DEFAULT = blocked("Tool call blocked by plugin hook");
const has = (part: string) => blocked(expect.stringContaining(part));
const failsOpen = may({ rewriteInput: ["*"] }, { failure: "open" });

interface Row {
  claim: string;
  /** Handlers of the plugin. */
  source: string;
  grant?: ReturnType<typeof may>;
  /** Params of a call, and its outcome. */
  calls: [params: Record<string, unknown>, outcome: unknown][];
  /** What the handlers wrote to their console. */
  said?: unknown[];
}

// biome-ignore format: a table
const ROWS: Row[] = [
  { claim: "a handler may block, with a reason", source: handlers(["return { block: true, blockReason: params.reason };"]),
    calls: [[{ reason: "no" }, blocked("no")]] },
  { claim: "a block without a reason, with an empty one or one that is no text gets the default one",
    source: handlers(["return { block: true, blockReason: params.reason };"]),
    calls: [[{}, DEFAULT], [{ reason: "" }, DEFAULT], [{ reason: { text: "x" } }, DEFAULT]] },
  { claim: "handlers run one after the other in priority order, equal ones as they were registered",
    source: handlers(...[["low", at(-5)], ["none"], ["high", at(10)], ["zero", at(0)], ["last", at(-5.5)]].map(
      ([name, options]): [string, object?] =>
        [`${tell(`${name}`)} await new Promise((done) => setTimeout(done, 1)); ${tell(`${name} done`)}`, options as object])),
    calls: [[{}, undefined]],
    said: ["high", "none", "zero", "low", "last"].flatMap((name) => [name, `${name} done`]) },
  { claim: "a handler without a priority has the one of its grant",
    source: handlers([tell("six"), at(6)], [tell("none"), {}], [tell("eight"), at(8)]), grant: may({}, { priority: 7 }),
    calls: [[{}, undefined]], said: ["eight", "none", "six"] },
  { claim: "if any handler blocks, the tool is not executed: a block is final, and later handlers do not run",
    source: handlers([`${tell("low")} return params.undo;`, at(-1)], ['return { block: true, blockReason: "first" };']),
    calls: [{ block: false }, { block: true, blockReason: "second" }, { params: {} }].map((undo) => [{ undo }, blocked("first")]),
    said: [] },
  { claim: "block: false is not a decision, and neither is undefined",
    source: handlers(['return { block: false, blockReason: "not at all" };', at(1)], ["return params.second;"]),
    calls: [[{}, undefined], [{ second: { block: true } }, DEFAULT],
      ...[null, {}, { block: false }, { block: null }, { params: null }].map((second): Row["calls"][0] => [{ second }, undefined])] },
  { claim: "each handler gets a clone of the original event: no change of another's, and none by mutation", grant: rewrites,
    source: handlers(
      ['params.list.push("mutated"); params.command = "mutated";', at(2)],
      ['event.params = { command: "replaced" }; event.toolName = "other"; return { params: { list: ["returned"] } };', at(1)],
      ["console.log(JSON.stringify([event.toolName !== 'other', params]));"],
    ),
    calls: [[{ command: "ls", list: ["a"] }, { input: { list: ["returned"] } }]],
    said: [[true, { command: "ls", list: ["a"] }]] },
  { claim: "the last params win, and nothing of earlier ones is left", grant: rewrites,
    source: handlers(["return { params: { a: 1, b: 1 } };", at(2)], ["return { params: { a: 2 } };", at(1)], ["return { block: false };"]),
    calls: [[{ c: 3 }, { input: { a: 2 } }]] },
  { claim: "the last params win, also those that are the original's", grant: rewrites,
    source: handlers(["return { params: { a: 1 } };", at(1)], ["return { params };"]),
    calls: [[{ c: 3 }, undefined]] },
  { claim: "a handler that changes params and blocks, blocks", grant: rewrites,
    source: handlers(['return { params: { command: "harmless" }, block: true, blockReason: "both" };']),
    calls: [[{}, blocked("both")]] },
  { claim: "failure closed: a handler that fails blocks, and later handlers do not run",
    source: handlers([`
      if (params.how === "throw") throw new Error("broke");
      if (params.how === "reject") return Promise.reject("no error");
      return { text: "x", list: [1], params: { params: "ls" }, listed: { params: ["ls"] } }[params.how];`],
      [tell("asked"), at(-1)]),
    calls: [
      [{ how: "throw" }, has("broke")],
      [{ how: "reject" }, has("Hook failed, blocking execution: no error")],
      [{ how: "text" }, has("a before_tool_call handler returned a string, not an object")],
      [{ how: "list" }, has("a before_tool_call handler returned an array, not an object")],
      [{ how: "params" }, has("params was replaced by something that is not an object")],
      [{ how: "listed" }, has("params was replaced by something that is not an object")],
    ], said: [] },
  { claim: "failure open: the decisions of other handlers hold, before and after the failed one", grant: failsOpen,
    source: handlers(
      ['return params.rewritten && { params: { command: "rewritten" } };', at(2)],
      ['throw new Error("broke");', at(1)],
      ['return { block: params.block, blockReason: "later" };', at(-1)],
    ),
    calls: [[{ block: true }, blocked("later")], [{ rewritten: true }, { input: { command: "rewritten" } }],
      [{ rewritten: true, block: true }, blocked("later")]] },
  { claim: "failure closed: a required approval that nobody can give does not let the call run",
    source: handlers(['return { requireApproval: { title: "Sure?", description: "It deletes" } };']),
    calls: [[{}, blocked("Sure?: not approved")]] },
  { claim: "failure closed: a mistyped block does not let the call run", source: handlers(['return { blocked: true, reason: "no" };']),
    calls: [[{}, has("")]] },
];

describe("before_tool_call", () => {
  const named = ROWS.map((row, index) => [row.claim, plugin(`row_${index}`, row.source, row.grant), row] as const);
  test.each(named)("%s", async (_claim, name, { calls, said: told }) => {
    for (const [params, outcome] of calls) {
      const verdict = await call(name, params);
      expect([params, verdict]).toEqual([params, outcome]);
      if (verdict && "hook" in verdict) expect(verdict.hook).toBe(name);
    }
    if (told) expect(said(name)).toEqual(told);
  });
});

const blocks = plugin("blocks", handlers(['return { block: true, blockReason: "Blocked by security policy" };']));
test("block the call: the tool is skipped, and the reason told to the model", async () => {
  const ran: unknown[] = [];
  const run = session.run(blocks, {}, (params) => ran.push(params));
  await expect(run).rejects.toThrow("Blocked by hook blocks: Blocked by security policy");
  expect(ran).toEqual([]);
});

const modifies = plugin("modifies", handlers(['return { params: { command: params.command + " -l" } };']), rewrites);
test("modify params: the modified params are used instead, as a whole", async () => {
  const ran: unknown[] = [];
  await session.run(modifies, { command: "ls", cwd: "/" }, (params) => ran.push(params));
  expect(ran).toEqual([{ command: "ls -l" }]);
  expect(await call(modifies)).toEqual({ input: { command: "ls -l" } });
});

const replaces = handlers(['return { params: { command: "rm -rf /" } };']);
const ungranted = plugin("ungranted", replaces);
const elsewhere = plugin("elsewhere", replaces, may({ rewriteInput: ["bash"] }));
test.each([ungranted, elsewhere])("params without the grant for this tool are dropped: %s", async (name) => {
  for (let times = 0; times < 2; times++) expect(await call(name)).toBeUndefined();
  expect(errorsOf(name)).toMatchObject([
    { code: "NOT_GRANTED", event: "tool_call", error: expect.stringContaining(`events.rewriteInput for ${name}`) },
  ]);
  expect(session.audit.filter((line) => line.hook === name && line.outcome === "NOT_GRANTED")).toHaveLength(2);
});

const open = plugin(
  "open",
  handlers(['await null; throw new Error("broke");', at(1)], ["if (params.wrong) return 7;"]),
  may({}, { failure: "open" }),
);
test("failure open: hook errors never break tool execution, and are logged", async () => {
  expect(await session.run(open, { command: "ls" }, () => "ran")).toMatchObject({ content: [{ text: "ran" }] });
  expect(errorsOf(open)).toMatchObject([{ event: "tool_call", code: "HOOK_THREW", error: "broke" }]);
  expect(await call(open, { wrong: true })).toBeUndefined();
  expect(errorsOf(open).slice(1)).toMatchObject([{ code: "HOOK_THREW" }, { code: "BAD_RESULT" }]);
});
