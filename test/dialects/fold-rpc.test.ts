import { join } from "node:path";
import { expect, test } from "vitest";
import { RpcAgent, startCordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { DIALECTS, inDialect, toolNameIn } from "./fold-hooks.ts";

const EXCHANGE = `
  getGlobalInterceptorRegistry().add({ id: "tag", name: "message.before", handler(_input, output) { output.message += "!"; output.metadata.tagged = true; } });
  getGlobalInterceptorRegistry().add({ id: "think", name: "params.before", handler({ metadata }, output) { if (metadata.tagged) output.thinkLevel = "high"; } });`;

test("over JSON-RPC a hook of each dialect gates a call, and changed messages and parameters are returned", async () => {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, "hooks", `${name}.ts`);
  for (const one of DIALECTS) {
    const name = toolNameIn(one, "bash");
    const body = `if (tool === "${name}" && input.command === "no ${one}") block = "${one} said no";
      if (input.command.startsWith("tidy")) input.command = "tidy";
      if (input.command === "elsewhere" && tool === "bash") chosen = "read";`;
    writeFiles(folder, { [`hooks/${one}.ts`]: inDialect(one, { body }) + (one === "interceptors" ? EXCHANGE : "") });
  }
  const events = { see: ["*"], block: true };
  const rights: Record<string, object> = {
    interceptors: { ...events, rewriteMessage: true, rewriteParams: true },
    openclaw: { ...events, rewriteInput: ["bash"] },
    strands: { ...events, rewriteInput: ["bash", "read"] },
  };
  const hooks = Object.entries(rights).map(([name, granted]) => [path(name), { capabilities: { events: granted } }]);
  writeFiles(folder, { "grants.json": JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }) });
  const flags = [
    "serve",
    "--no-discover",
    "--grants",
    "grants.json",
    ...DIALECTS.flatMap((one) => ["--hook", path(one)]),
  ];
  const rpc = new RpcAgent(startCordon(flags, { cwd: folder, home: join(folder, "home") }));
  const emit = async (event: object) => (await rpc.request("emit", { event })).result;
  const bash = (command: string) =>
    emit({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command }, agentId: "main" });

  const { result } = await rpc.request("initialize", { protocolVersion: 1 });
  expect(result).toMatchObject({ hooks: DIALECTS.map((dialect) => ({ dialect, state: "active" })) });
  expect(await bash("ls")).toEqual({ result: null, errors: [] });
  for (const one of DIALECTS)
    expect(await bash(`no ${one}`)).toEqual({
      result: { block: true, reason: `${one} said no`, hook: path(one) },
      errors: [],
    });
  const tidy = { input: { command: "tidy" } };
  expect(await bash("tidy up")).toEqual({ result: tidy, errors: [] });

  const elsewhere = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "elsewhere" } };
  expect(await emit(elsewhere)).toMatchObject({ result: { block: true } });
  const chosen = (await rpc.request("emit", { event: elsewhere, tools: ["read"] })).result;
  expect(chosen).toEqual({ result: { input: { command: "elsewhere" }, toolName: "read" }, errors: [] });

  const said = await emit({ type: "message", text: "hi", metadata: { a: 1 }, agentId: "main" });
  const metadata = { a: 1, tagged: true };
  expect(said).toEqual({ result: { text: "hi!", metadata }, errors: [] });
  const params = { type: "params", provider: "p", model: "m", thinkLevel: "low" };
  expect(await emit({ ...params, metadata })).toEqual({ result: { thinkLevel: "high" }, errors: [] });
  expect(await emit({ ...params, metadata: {} })).toEqual({ result: null, errors: [] });
  expect((await rpc.request("shutdown")).result).toBeNull();
  expect(await rpc.ended).toBe(0);
});
