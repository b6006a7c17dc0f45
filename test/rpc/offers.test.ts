import { join } from "node:path";
import { expect, test } from "vitest";
import { RpcAgent, startCordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const EXTENSION = `
export default (pi) => {
  pi.registerTool({ name: "greet", label: "Greet", description: "Greets", parameters: { type: "object" },
    async execute(id, params, signal, onUpdate, ctx) {
      onUpdate({ content: [{ type: "text", text: "half" }] });
      if (params.wait) await new Promise((done) => signal.addEventListener("abort", done));
      const branch = ctx.sessionManager.getBranch();
      pi.appendEntry("greeted", { by: id });
      return { content: [{ type: "text", text: params.text + branch.length + ctx.model.id }] };
    } });
  pi.registerCommand("plan", { description: "plans", handler: async (args) => { if (args === "no") throw new Error("no"); },
    getArgumentCompletions: (start) => [{ value: start + "1" }] });
  pi.registerFlag("strict", { type: "boolean" });
  pi.on("input", (event) => pi.getFlag("strict") ? { action: "handled" } : undefined);
};`;

const GRANT = {
  events: { see: ["input"], rewriteUserInput: true },
  tools: ["greet"],
  commands: ["plan"],
  session: ["entries"],
  agent: ["appendEntry"],
};

async function session() {
  const folder = temporaryFolder();
  const hook = join(folder, "mine.ts");
  const grants = { version: 1, hooks: { [hook]: { capabilities: GRANT } } };
  writeFiles(folder, { "mine.ts": EXTENSION, "grants.json": JSON.stringify(grants) });
  const flags = ["serve", "--no-discover", "--hook", hook, "--grants", join(folder, "grants.json")];
  const rpc = new RpcAgent(startCordon(flags, { cwd: folder, home: join(folder, "home") }));
  const asked: unknown[] = [];
  rpc.answer = (message) => {
    asked.push([message.method, (message.params as { name?: unknown }).name]);
    return message.method === "agent/session" ? [{ id: "a" }, { id: "b" }] : null;
  };
  const started = await rpc.request("initialize", {
    protocolVersion: 1,
    agent: { session: ["branch"], act: ["appendEntry"] },
  });
  return { rpc, started, asked, hook };
}

test("an agent in any language reads and runs what hooks offer", async () => {
  const { rpc, started, asked, hook } = await session();
  expect(started.result).toMatchObject({
    offers: {
      tools: [{ hook, name: "greet", label: "Greet" }],
      commands: [{ name: "plan", completes: true }],
      shortcuts: [],
      flags: [{ name: "strict", type: "boolean" }],
    },
  });
  await rpc.request("setState", { state: { model: { id: "m" } } });
  const ran = await rpc.request("runTool", { name: "greet", toolCallId: "c1", params: { text: "hi" } }, "run");
  expect(ran.result).toEqual({ content: [{ type: "text", text: "hi2m" }], isError: false });
  expect(rpc.received.find(({ method }) => method === "tool/update")).toMatchObject({
    params: { id: "run", partial: { content: [{ type: "text", text: "half" }] } },
  });
  await rpc.next(({ method }) => method === "agent/act");
  expect(asked).toEqual([
    ["agent/session", "branch"],
    ["agent/act", "appendEntry"],
  ]);
  expect((await rpc.request("runCommand", { kind: "command", name: "plan", args: "no" })).result).toEqual({
    error: "no",
  });
  expect((await rpc.request("complete", { name: "plan", args: "x" })).result).toEqual([{ value: "x1", label: "x1" }]);
  const input = { event: { type: "input", text: "hello", source: "interactive" } };
  expect((await rpc.request("emit", input)).result).toMatchObject({ result: null });
  expect((await rpc.request("setFlag", { name: "strict", value: true })).result).toBeNull();
  expect((await rpc.request("emit", input)).result).toMatchObject({ result: { action: "handled" } });
  expect((await rpc.request("shutdown")).result).toBeNull();
});

test("a cancelled tool is told, and what no hook offers is refused", async () => {
  const { rpc } = await session();
  const running = rpc.request("runTool", { name: "greet", toolCallId: "c1", params: { text: "", wait: true } }, "r");
  await rpc.next(({ method }) => method === "tool/update");
  rpc.write(`${JSON.stringify({ jsonrpc: "2.0", method: "cancel", params: { id: "r" } })}\n`);
  expect((await running).result).toMatchObject({ isError: true });
  const none = await rpc.request("runTool", { name: "none", toolCallId: "1", params: {} });
  expect(none.error).toMatchObject({ code: -32000, data: { code: "NOT_GRANTED" } });
  const wrong = await rpc.request("runCommand", { kind: "tool", name: "greet" });
  expect(wrong.error).toMatchObject({ code: -32602, message: 'params.kind must be one of "command", "shortcut"' });
});

test("what hooks offer is told when it changes, and not because a hook started anew", async () => {
  const { rpc, started, hook } = await session();
  for (let time = 0; time < 3; time++) await rpc.request("reload", { id: hook });
  await rpc.request("setFlag", { name: "strict", value: true });
  const before = JSON.stringify((started.result as { offers: object }).offers);
  const told = rpc.received
    .filter(({ method }) => method === "hook/offers")
    .map(({ params }) => JSON.stringify(params));
  expect(told.filter((one, at) => one === (told[at - 1] ?? before))).toEqual([]);
});

test("a way to ask for consent that is none is refused", async () => {
  const folder = temporaryFolder();
  const rpc = new RpcAgent(startCordon(["serve", "--no-discover"], { cwd: folder, home: join(folder, "home") }));
  const { error } = await rpc.request("initialize", { protocolVersion: 1, consent: "robot" });
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("consent must be") });
});
