import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as metaSchema from "@open-rpc/meta-schema";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { RpcAgent, startCordon } from "../support/command.ts";
import { paramsFault, resultFault } from "../support/rpc-contract.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { openrpcDocument } from "./openrpc-document.ts";
import { HOOKS } from "./openrpc-hooks.ts";

const document = openrpcDocument();
const sentByCordon = document["x-from-cordon"].map(({ name }) => name);
const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), "utf8");

test("docs/openrpc.json is made from the checks of the server; -u writes it", async () => {
  const path = join(PACKAGE_ROOT, "docs", "openrpc.json");
  await expect(`${JSON.stringify(document, null, 1)}\n`).toMatchFileSnapshot(path);
});

test("it is a document of OpenRPC", () => {
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });
  // Its schema of JSON Schemas is on a server.
  const reference = { definitions: { JSONSchemaObject: { properties: { $ref: { type: "string" } } } } };
  ajv.addSchema(reference, "https://meta.json-schema.tools/").addSchema(reference, "https://meta.json-schema.tools");
  const { openrpcDocument: whole } = metaSchema as unknown as { openrpcDocument: object };
  const schema = { ...whole, $schema: undefined };
  const check = ajv.compile(schema);
  expect(check(document), JSON.stringify(check.errors)).toBe(true);
  expect(check({ ...document, methods: [{ name: "no params" }] })).toBe(false);
});

test("it has each message and error that the source can send", () => {
  const folder = join("src", "rpc");
  const code = readdirSync(join(PACKAGE_ROOT, folder)).map((name) => read(join(folder, name)));
  const named = code.flatMap((text) => [...text.matchAll(/"((?:[a-z]+\/[a-zA-Z]+)|cancel)"/g)].map(([, name]) => name));
  expect([...new Set(named)].sort()).toEqual([...sentByCordon].sort());
  const codes = code.flatMap((text) => [...text.matchAll(/-32\d{3}/g)].map(([found]) => Number(found)));
  expect([...new Set(codes)].sort()).toEqual(document["x-errors"].map(({ code }) => code).sort());
});

test("what it says can fail", () => {
  expect(paramsFault("cordon", "ui/confirm", { hook: "a", title: "b", message: "c" })).toBeUndefined();
  expect(paramsFault("cordon", "ui/confirm", { hook: "a", title: "b" })).toContain("ui/confirm");
  expect(paramsFault("cordon", "ui/confirm", { hook: "a", title: "b", message: "c", more: 1 })).toContain("more");
  expect(paramsFault("cordon", "ui/other", {})).toContain("not in docs");
  expect(resultFault("agent", "list", { hooks: [{ id: "a" }] })).toContain("path");
  expect(resultFault("agent", "disable", { disabled: true })).toBeUndefined();
});

test("a real session says all of it, and nothing else", async () => {
  const folder = temporaryFolder();
  const files = Object.entries(HOOKS).map(([name, { source }]) => [name, source] as const);
  const grants = Object.entries(HOOKS).map(([name, { capabilities }]) => [`./${name}`, { capabilities }] as const);
  writeFiles(folder, Object.fromEntries(files));
  writeFiles(folder, { "grants.json": JSON.stringify({ version: 1, hooks: Object.fromEntries(grants) }) });
  const named = files.flatMap(([name]) => ["--hook", join(folder, name)]);
  const flags = ["serve", "--no-discover", "--grants", join(folder, "grants.json"), ...named];
  const rpc = new RpcAgent(startCordon(flags, { cwd: folder, home: join(folder, "home") }));
  const answers: Record<string, unknown> = {
    "ui/select": undefined,
    "ui/confirm": true,
    "ui/input": "Ann",
    "ui/editor": "after",
    "consent/ask": "session",
    "model/resolveApiKey": "key",
    "model/complete": { role: "assistant", content: [] },
    "agent/session": [{ id: "a" }],
    "agent/read": [],
    "agent/act": null,
    "agent/canRun": true,
    "provider/login": "code",
    "provider/note": null,
  };
  rpc.answer = ({ method = "" }) => answers[method];

  const tried = new Map<string, object>();
  const ask = async (method: string, params: object = {}, id?: string) => {
    tried.set(method, params);
    expect(paramsFault("agent", method, params)).toBeUndefined();
    const { error, result } = await rpc.request(method, params, id);
    expect(error, method).toBeUndefined();
    return result as Record<string, unknown>;
  };
  const shown = async (method: string, fits: (params: Record<string, unknown>) => boolean = () => true) =>
    (await rpc.next((message) => message.method === method && fits(message.params ?? {}))).params as { screen: number };
  const call = (command: string, toolName = "bash") => ({
    event: { type: "tool_call", toolName, toolCallId: "1", input: { command } },
  });
  const hook = join(folder, "offers.ts");
  const gate = join(folder, "asks.ts");

  await ask("initialize", {
    protocolVersion: 1,
    hasUI: true,
    consent: "person",
    agent: {
      session: ["branch"],
      read: ["allTools"],
      act: ["appendEntry"],
      sendMessage: true,
      screens: true,
      canRun: true,
      providers: ["acme"],
    },
  });
  await ask("setState", { state: { model: { id: "m" } } });
  await ask("setTheme", { theme: { name: "mine", fg: { accent: "\u001b[36m" }, bg: {} } });
  await ask("setSessionFile", { sessionFile: null });
  await ask("setHasUI", { hasUI: true });

  await ask("emit", call("ls"));
  await ask("emit", call("no"));
  await ask("emit", call("date"));
  await ask("emit", call("later"));
  await ask("emit", call("ls", "read"));
  await ask("emit", {
    event: { ...call("ls").event, type: "tool_result", content: [{ type: "text", text: "a" }], isError: false },
  });
  const waiting = rpc.request("emit", call("wait"), "waiting");
  await shown("ui/select");
  rpc.write(`${JSON.stringify({ jsonrpc: "2.0", method: "cancel", params: { id: "waiting" } })}\n`);
  expect((await waiting).result).toMatchObject({ result: { block: true } });
  tried.set("cancel", { id: "waiting" });

  await ask("offers");
  await ask("runTool", { name: "greet", toolCallId: "1", params: {} });
  await ask("runCommand", { kind: "command", name: "tell" });
  await ask("complete", { name: "tell", args: "x" });
  await ask("setFlag", { name: "strict", value: true });
  await ask("render", { subject: { kind: "message", name: "note", value: { content: "hi" } }, width: 20 });

  const showing = rpc.request("runCommand", { kind: "command", name: "show" }, "showing");
  const { screen: editor } = await shown("screen/open", ({ where }) => where === "editor");
  await ask("drawScreen", { screen: editor, width: 30, rows: 10 });
  await ask("screenInput", { screen: editor, data: "hi" });
  await shown("screen/lines", ({ text }) => text === "hi");
  await ask("screenInput", { screen: editor, data: "\r" });
  await shown("screen/act");
  await ask("setEditorText", { screen: editor, text: "", sent: "hi" });
  await ask("suggest", { hook, name: "1", lines: ["#"], row: 0, col: 1 });
  await ask("pressKey", { data: "x" });
  const { screen: custom } = await shown("screen/open", ({ where }) => where === "custom");
  await ask("closeScreen", { screen: custom });
  await showing;

  const model = { provider: "my-llm", id: "m" };
  await ask("answer", { name: "my-llm", model, context: { messages: [] } });
  await ask("signIn", { name: "my-llm" });
  await ask("renew", { name: "my-llm", credentials: { access: "a" } });
  await ask("route", { provider: "mine", id: "auto", request: { reason: "user", messages: [] } });
  expect(await ask("providerModels", { name: "my-llm" })).toMatchObject([{ id: "m" }]);

  await ask("grant", { id: gate, power: "env", value: ["CI"] });
  await ask("list");
  await ask("revoke", { id: gate, power: "env" });
  await ask("disable", { id: gate });
  await ask("enable", { id: gate });
  await ask("audit", { limit: 10 });
  await ask("reload", { id: gate });
  await shown("hook/state");
  await shown("hook/error");
  await ask("shutdown");

  expect([...tried.keys()].sort()).toEqual(document.methods.map(({ name }) => name).sort());
  await beforeInitialize(tried);
  const said = new Set(rpc.received.flatMap(({ method }) => (method === undefined ? [] : [method])));
  expect([...said].sort()).toEqual([...sentByCordon].sort());
});

/** Asks all of it of a server that was not told to begin. */
async function beforeInitialize(tried: ReadonlyMap<string, object>): Promise<void> {
  const folder = temporaryFolder();
  const rpc = new RpcAgent(startCordon(["serve", "--no-discover"], { cwd: folder, home: join(folder, "home") }));
  for (const { name, errors } of document.methods.filter((one) => "errors" in one)) {
    if (name === "initialize" || name === "shutdown") continue;
    const asked = name === "emit" ? { event: { type: "agent_start" } } : tried.get(name);
    const { error } = await rpc.request(name, asked);
    const refusal = errors?.find(({ code }) => code === error?.code) as { data?: { code: string[] } } | undefined;
    expect([name, refusal?.data?.code]).toEqual([name, expect.arrayContaining([error?.data?.code])]);
    expect([name, error?.data?.code]).toEqual([name, "NOT_ACCEPTED"]);
  }
  expect((await rpc.request("initialize", { protocolVersion: 2 })).error?.data?.code).toBe("BAD_GRANT");
  await rpc.request("shutdown");
  expect(await rpc.ended).toBe(0);
}
