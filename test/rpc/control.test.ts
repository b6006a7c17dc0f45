import { join } from "node:path";
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

test("an agent that names itself and its tools: the audit, verdicts, remedies", async () => {
  const names = { agentName: "claw", agentVersion: "9", toolNames: { exec: "bash" }, remedy: "/hooks restart" };
  const { rpc } = await started({ "gate.ts": GATE, "broken.ts": "throw new Error('no');" }, names);
  const { lines } = (await rpc.request("audit", { outcome: "started" })).result as { lines: object[] };
  expect(lines).toMatchObject([{ event: "start", value: "claw 9" }]);
  expect((await rpc.request("emit", call("exec", { command: "no" }))).result).toMatchObject({
    result: { block: true, reason: expect.stringMatching(/said no|\/hooks restart/) },
  });
  expect((await rpc.request("emit", call("exec", { command: "ls" }))).result).toMatchObject({
    result: { block: true, reason: expect.stringContaining("to go on: /hooks restart") },
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
