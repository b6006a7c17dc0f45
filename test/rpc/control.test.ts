import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { RpcAgent, startCordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

const GATE = onToolCall(
  'if (event.toolName === "bash" && event.input.command === "no") return { block: true, reason: "said no" };',
);
const CHOOSER = `import { BeforeToolCallEvent } from "@strands-agents/sdk";
export default { name: "chooser", initAgent(agent: any) { agent.addHook(BeforeToolCallEvent, (event: any) => { if (event.toolUse.name === "read") event.selectedTool = agent.toolRegistry.get("bash"); }); } };`;
const REDACT = `export default (pi: any) => pi.on("tool_result", () => ({ content: [{ type: "text", text: "***" }] }));`;

/** An agent whose person gives these answers, in a session with such hooks and grants. */
async function started(files: Record<string, string>, params: object, answers: unknown[] = [], grants: object = {}) {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  const hooks = Object.fromEntries(
    Object.entries(grants).map(([name, capabilities]) => [`./${name}.ts`, { capabilities }]),
  );
  writeFiles(folder, { "grants.json": JSON.stringify({ version: 1, hooks }) });
  const named = Object.keys(files).flatMap((name) => ["--hook", join(folder, name)]);
  const args = ["serve", "--no-discover", "--grants", join(folder, "grants.json"), ...named];
  const rpc = new RpcAgent(startCordon(args, { cwd: folder, home: join(folder, "home") }));
  const asked: Parameters<RpcAgent["answer"]>[0][] = [];
  rpc.answer = (message) => {
    asked.push(message);
    return answers.shift() ?? null;
  };
  await rpc.request("initialize", { protocolVersion: 1, ...params });
  return { rpc, asked, id: (name: string) => join(folder, `${name}.ts`) };
}
const call = (toolName: string, input: object = {}) => ({
  event: { type: "tool_call", toolName, toolCallId: "7", input },
});

test("an agent lists hooks, and grants, revokes, disables and enables for its person", async () => {
  const { rpc, asked, id } = await started({ "gate.ts": GATE }, { hasUI: true, consent: "person" }, [
    "deny",
    "session",
    "deny",
    "session",
  ]);
  const gate = id("gate");
  expect((await rpc.request("list")).result).toMatchObject({
    hooks: [
      { id: gate, disabled: false, blocks: 0, memory: expect.any(Number), capabilities: { events: { block: true } } },
    ],
  });
  const grant = { id: gate, power: "env", value: ["CI"] };
  expect((await rpc.request("grant", grant)).result).toEqual({ answer: "deny" });
  expect((await rpc.request("grant", grant)).result).toEqual({ answer: "session" });
  expect(asked.map(({ method }) => method)).toEqual(["consent/ask", "consent/ask"]);
  expect((await rpc.request("list")).result).toMatchObject({ hooks: [{ capabilities: { env: ["CI"] } }] });
  expect((await rpc.request("revoke", { id: gate, power: "env" })).result).toBeNull();
  expect((await rpc.request("disable", { id: gate })).result).toEqual({ disabled: false });
  expect((await rpc.request("emit", call("bash", { command: "no" }))).result).toMatchObject({
    result: { block: true },
  });
  expect((await rpc.request("disable", { id: gate })).result).toEqual({ disabled: true });
  expect((await rpc.request("emit", call("bash", { command: "no" }))).result).toMatchObject({ result: null });
  expect((await rpc.request("enable", { id: gate })).result).toBeNull();
  expect((await rpc.request("emit", call("bash", { command: "no" }))).result).toMatchObject({
    result: { block: true },
  });
  const { lines } = (await rpc.request("audit", { hook: gate, outcome: "block" })).result as { lines: object[] };
  expect(lines).toMatchObject([{ value: "bash: said no" }, { value: "bash: said no" }]);
  await rpc.request("shutdown");
});

test("without a person an agent widens nothing, and what it may not ask is an error", async () => {
  const { rpc, asked, id } = await started({ "gate.ts": GATE }, {});
  const gate = id("gate");
  for (const [method, params] of [
    ["grant", { id: gate, power: "env", value: ["CI"] }],
    ["disable", { id: gate }],
    ["grant", { id: "nobody", power: "env" }],
    ["revoke", { id: gate, power: "env" }],
  ] as const)
    expect((await rpc.request(method, params)).error, method).toMatchObject({
      code: -32000,
      data: { code: "BAD_GRANT" },
    });
  expect((await rpc.request("grant", { id: gate })).error).toMatchObject({ code: -32602 });
  expect((await rpc.request("audit", { limit: 10_001 })).error).toMatchObject({ code: -32602 });
  expect(asked).toEqual([]);
  await rpc.request("shutdown");
});

// biome-ignore format: a table
test.each([
  { claim: "an outcome that no line has",  method: "audit",   params: { outcome: "bloc" },           says: /no line has the outcome bloc; .*did you mean block\?$/ },
  { claim: "a power that there is not",    method: "audit",   params: { power: "execute" },          says: /no line is about execute; .*a power: .*exec/ },
  { claim: "the name of a file",           method: "disable", params: { id: "gate.ts" },             says: /^no hook has the id gate\.ts; did you mean DIR\/gate\.ts\?$/ },
  { claim: "the same, without its ending", method: "revoke",  params: { id: "gate", power: "env" },  says: /^no hook has the id gate; did you mean DIR\/gate\.ts\?$/ },
  { claim: "a mistyped id",                method: "grant",   params: { id: "DIR/gote.ts", power: "env" }, says: /; did you mean DIR\/gate\.ts\?$/ },
  { claim: "a name like no other",         method: "enable",  params: { id: "nobody" },              says: /^no hook has the id nobody; there are: DIR\/gate\.ts$/ },
  { claim: "a name for a restart",         method: "reload",  params: { id: "gate" },                says: /; did you mean DIR\/gate\.ts\?$/ },
])("$method refuses $claim, and says what was meant", async ({ method, params, says }) => {
  const { rpc, id } = await started({ "gate.ts": GATE }, { hasUI: true, consent: "person" });
  const folder = dirname(id("gate"));
  const { error } = await rpc.request(method, JSON.parse(JSON.stringify(params).replace("DIR", folder)));
  expect(error).toMatchObject({ code: -32000, data: { code: "BAD_GRANT" } });
  expect(error?.message.replaceAll(folder, "DIR")).toMatch(says);
  await rpc.request("shutdown");
});

test("an outcome that is on record is known, whatever it is, and one that might be finds nothing", async () => {
  const { rpc } = await started({ "gate.ts": GATE }, { agentName: "claw" });
  const linesOf = async (query: object) => ((await rpc.request("audit", query)).result as { lines: object[] }).lines;
  expect(await linesOf({ outcome: "started" })).toHaveLength(1);
  expect(await linesOf({ outcome: "started", hook: "nobody" })).toEqual([]);
  expect(await linesOf({ outcome: "block", power: "exec" })).toEqual([]);
  await rpc.request("shutdown");
});

test("an agent that names itself and its tools: the audit, verdicts, remedies", async () => {
  const names = { agentName: "claw", agentVersion: "9", toolNames: { exec: "bash" }, remedy: "/hooks restart" };
  const { rpc } = await started({ "gate.ts": GATE, "broken.ts": "throw new Error('no');" }, names);
  const { lines } = (await rpc.request("audit", { outcome: "started" })).result as { lines: object[] };
  expect(lines).toMatchObject([{ event: "start", value: "claw 9" }]);
  expect((await rpc.request("emit", call("exec", { command: "no" }))).result).toMatchObject({
    result: { block: true, reason: expect.stringMatching(/said no|\/hooks restart/) },
  });
  expect((await rpc.request("emit", call("exec", { command: "ls" }))).result).toMatchObject({
    result: { block: true, reason: expect.stringContaining("to go on: mend it, then /hooks restart") },
  });
  await rpc.request("shutdown");
});

const CHANGES = { chooser: { events: { see: ["tool_call"], block: true, rewriteInput: ["read", "bash"] } } };
test.each([
  [true, true],
  [true, false],
  [false, undefined],
])("an agent that says canRun (%j) and answers %j", async (canRun, answer) => {
  const { rpc, asked } = await started(
    { "chooser.ts": CHOOSER },
    { agent: { canRun }, toolNames: { exec: "bash" } },
    [answer],
    CHANGES,
  );
  const { result } = (await rpc.request("emit", call("read", { path: "a" }))).result as { result: object };
  expect(result).toMatchObject(canRun && answer ? { toolName: "exec" } : { block: true });
  expect(asked.map(({ method, params }) => [method, params])).toEqual(
    canRun ? [["agent/canRun", { tool: "exec", toolCallId: "7" }]] : [],
  );
  await rpc.request("shutdown");
});

test("who changed a result is told", async () => {
  const powers = { redact: { events: { see: ["tool_result"], rewriteResult: ["*"] } } };
  const { rpc, id } = await started({ "redact.ts": REDACT }, {}, [], powers);
  const event = {
    type: "tool_result",
    toolName: "read",
    toolCallId: "1",
    input: {},
    content: [],
    structuredContent: { a: 1 },
    isError: false,
  };
  expect((await rpc.request("emit", { event })).result).toEqual({
    result: { content: [{ type: "text", text: "***" }], structuredContent: null },
    changedBy: [id("redact")],
    errors: [],
  });
  await rpc.request("shutdown");
});

const ASKS = onToolCall(
  'if (event.input.command === "rm") return { block: true, reason: "no rm" };' +
    ' if (!(await ctx.ui.confirm("Run it?", event.input.command))) return { block: true, reason: "nobody said yes" };',
);
const RUNS = onToolCall('try { await ctx.exec("date", []); } catch { return { block: true, reason: "no date" }; }');
const LATER = { later: true };

test("an agent that asks for itself is handed the question with the block, and nothing of others", async () => {
  const { rpc, asked, id } = await started({ "asks.ts": ASKS, "gate.ts": GATE }, { hasUI: true }, [
    LATER,
    LATER,
    LATER,
  ]);
  const emit = (command: string, more: object = { asks: true }) =>
    rpc
      .request("emit", { ...call("bash", { command }), ...more })
      .then(({ result }) => (result as { result: object }).result);
  const question = { block: true, hook: id("asks"), reason: "nobody said yes", question: {} };
  expect(await emit("ls")).toEqual(question);
  expect(asked).toMatchObject([
    { method: "ui/confirm", params: { hook: id("asks"), title: "Run it?", message: "ls" } },
  ]);
  // What another hook blocks is no question, and neither is what was not asked.
  expect(await emit("no")).toMatchObject({ block: true, hook: id("gate") });
  expect(await emit("rm")).toEqual({ block: true, hook: id("asks"), reason: "no rm" });
  // An agent that did not say so gets a block.
  expect(await emit("ls", {})).toEqual({ block: true, hook: id("asks"), reason: "nobody said yes" });
  await rpc.request("shutdown");
});

test.each([true, false])(
  "of several calls at once none becomes a question, be the other one asked about so (%j)",
  async (asks) => {
    const { rpc, id } = await started({ "asks.ts": ASKS }, { hasUI: true }, [LATER, LATER]);
    const emit = (command: string, more: object) => rpc.request("emit", { ...call("bash", { command }), ...more });
    const both = await Promise.all([emit("ls", { asks: true }), emit("ls -l", { asks })]);
    for (const { result } of both) expect(result).toMatchObject({ result: { block: true, hook: id("asks") } });
    expect(JSON.stringify(both[0])).not.toContain("question");
    await rpc.request("shutdown");
  },
);

test("a power that is asked for later is a question of the call", async () => {
  const { rpc, id } = await started({ "runs.ts": RUNS }, { hasUI: true, consent: "person" }, [LATER, "once"]);
  const emit = () => rpc.request("emit", { ...call("bash", { command: "ls" }), asks: true });
  expect((await emit()).result).toMatchObject({ result: { block: true, hook: id("runs"), question: {} } });
  expect((await emit()).result).toMatchObject({ result: null });
  await rpc.request("shutdown");
});

test.each([[{ later: 1 }], [{ later: true, yes: true }], ["later"], [{ later: "true" }]])(
  "%j puts nothing off",
  async (answer) => {
    const { rpc } = await started({ "asks.ts": ASKS }, { hasUI: true }, [answer]);
    const { result } = await rpc.request("emit", { ...call("bash", { command: "ls" }), asks: true });
    expect(JSON.stringify(result)).not.toContain("question");
    await rpc.request("shutdown");
  },
);

test("a call within a call says whose it is", async () => {
  const told = onToolCall("return { block: true, reason: String(event.parentToolCallId) };");
  const { rpc } = await started({ "told.ts": told }, {});
  const inner = { event: { ...call("bash", { command: "ls" }).event, parentToolCallId: "outer" } };
  expect((await rpc.request("emit", inner)).result).toMatchObject({ result: { reason: "outer" } });
  await rpc.request("shutdown");
});
