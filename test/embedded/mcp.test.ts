import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { on, onToolCall } from "../support/session.ts";
import { cordonMcp, RawClient, SERVER, startClient, workplace } from "./mcp-process.ts";

const GATE = {
  source: onToolCall(
    `if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };`,
  ),
};
const REDACT = {
  source: on(
    "tool_result",
    `const content = event.content.map((one) => one.type === "text" ? { ...one, text: one.text.replaceAll("hunter2", "***") } : one);
     if (JSON.stringify(content) !== JSON.stringify(event.content)) return { content };`,
  ),
  events: { rewriteResult: ["*"] },
};
const ALL = { sampling: {}, roots: {}, elicitation: {} };

/** A client with all that a client can have; `heard` gets what the server tells it. */
function prepare(heard: unknown[], answer: (message: string) => string = () => "Deny") {
  return (client: Client): void => {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      model: "mine",
      role: "assistant",
      content: { type: "text", text: `sampled ${params.messages.length}` },
    }));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///work" }] }));
    client.setRequestHandler(ElicitRequestSchema, ({ params: { message, ...form } }) => {
      heard.push(message);
      if (message.startsWith("Cordon asks")) heard.push(form.mode === "url" ? form : form.requestedSchema.properties);
      return { action: "accept", content: { name: "Ann", answer: answer(message) } };
    });
    for (const schema of [LoggingMessageNotificationSchema, ToolListChangedNotificationSchema])
      client.setNotificationHandler(schema, (notification) => void heard.push(notification));
  };
}

const textOf = ({ content }: Awaited<ReturnType<Client["callTool"]>>): string =>
  (content as { text?: string }[]).map((part) => part.text ?? JSON.stringify(part)).join("\n");

/** Uses everything of the server, and returns all that came of it. */
async function everything(command: readonly string[], place: ReturnType<typeof workplace>): Promise<unknown[]> {
  const heard: unknown[] = [];
  const client = await startClient(command, place, ALL, prepare(heard));
  const progress: unknown[] = [];
  const cancel = new AbortController();
  const waiting = client
    .callTool({ name: "slow", arguments: { waits: true } }, undefined, {
      signal: cancel.signal,
      onprogress: (one) => {
        progress.push(one);
        cancel.abort("enough");
      },
    })
    .catch(String);
  return [
    client.getServerVersion(),
    client.getServerCapabilities(),
    client.getInstructions(),
    await client.listTools(),
    await client.callTool({ name: "bash", arguments: { command: "ls" } }),
    await client.callTool({ name: "structured" }),
    await client.callTool({ name: "mixed" }),
    await client.callTool({ name: "nothing" }).catch(String),
    await client.callTool({ name: "asks" }),
    await client.listResources(),
    await client.readResource({ uri: "file:///a" }),
    await client.listPrompts(),
    await client.getPrompt({ name: "greet" }),
    await client.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "a", value: "" } }),
    await client.setLoggingLevel("info"),
    await client.ping(),
    await waiting,
    progress,
    await client.callTool({ name: "slow" }),
    heard.map((one) => JSON.stringify(one)).sort(),
  ];
}

test("a client sees everything of a server as without Cordon, while hooks judge calls and results", async () => {
  const place = workplace({ gate: GATE, sees: { source: on("tool_result", "") } });
  const [alone, within] = await Promise.all([
    everything(SERVER, place),
    everything(cordonMcp(place, "--", ...SERVER), place),
  ]);
  expect(within).toEqual(alone);
  expect(alone.at(-1)).toEqual([
    '"your name"',
    '{"method":"notifications/message","params":{"level":"info","data":"slow was cancelled"}}',
    '{"method":"notifications/tools/list_changed"}',
  ]);
});

test("a call that a hook blocks does not reach the server, and one that it rewrites reaches it so", async () => {
  const rewrite = {
    source: onToolCall(`if (event.input.command === "asked") event.input.command = "rewritten";`),
    events: { rewriteInput: ["bash"] },
  };
  const place = workplace({ gate: GATE, rewrite });
  const client = await startClient(cordonMcp(place, "--", ...SERVER), place);
  const blocked = await client.callTool({ name: "bash", arguments: { command: "rm -rf /" } });
  expect(textOf(blocked)).toBe(`Blocked by hook ${place.folder}/gate.ts: not with rm -rf`);
  expect(blocked.isError).toBe(true);
  expect(textOf(await client.callTool({ name: "bash", arguments: { command: "asked" } }))).toBe("ran rewritten");
});

test("of a redacted result nothing else is left: its structured content is redacted, too", async () => {
  const place = workplace({ redact: REDACT });
  const client = await startClient(cordonMcp(place, "--", ...SERVER), place);
  await client.listTools();
  const changed = `[Changed by hook ${place.folder}/redact.ts]`;
  expect(textOf(await client.callTool({ name: "secret" }))).toBe(`${changed}\nthe password is ***`);
  expect(await client.callTool({ name: "structured" })).toEqual({
    content: [
      { type: "text", text: changed },
      { type: "text", text: '{"password":"***","of":[1]}' },
    ],
    structuredContent: { password: "***", of: [1] },
  });
  expect((await client.callTool({ name: "mixed" })).content).toEqual([
    { type: "text", text: changed },
    { type: "text", text: "***" },
    { type: "resource_link", uri: "file:///a", name: "a" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  ]);
});

const ASKS = {
  source: onToolCall(`
    const { code } = await ctx.exec("true", []);
    if (code !== 0) return { block: true, reason: "it is not true" };`),
  manifest: { capabilities: { exec: [{ program: "true", args: [] }] } },
};

test("a hook's question is asked by elicitation, where the client has it", async () => {
  const place = workplace({ asks: ASKS });
  const heard: unknown[] = [];
  const command = cordonMcp(place, "--", ...SERVER);
  const client = await startClient(
    command,
    place,
    ALL,
    prepare(heard, () => "Allow once"),
  );
  expect(textOf(await client.callTool({ name: "bash", arguments: { command: "ls" } }))).toBe("ran ls");
  // A client may answer by itself: nothing is allowed for good.
  const choices = ["Deny", "Allow once", "Allow for this session"];
  expect(heard).toEqual([
    expect.stringMatching(/^Cordon asks: .*\btrue\b/s),
    { answer: { type: "string", title: "Answer", enum: choices } },
  ]);
  const mute = await startClient(command, place);
  expect(textOf(await mute.callTool({ name: "bash", arguments: { command: "ls" } }))).toMatch(
    /^Blocked by hook .*asks/,
  );
});

test("`--tool-name` gives tools the names that hooks know", async () => {
  const byName = { source: onToolCall(`if (event.toolName === "read") return { block: true, reason: "no reading" };`) };
  const place = workplace({ byName });
  const client = await startClient(cordonMcp(place, "--tool-name", "secret=read", "--", ...SERVER), place);
  expect(textOf(await client.callTool({ name: "secret" }))).toContain("no reading");
  expect(textOf(await client.callTool({ name: "bash", arguments: { command: "ls" } }))).toBe("ran ls");
});

test("if Cordon does not start, every call is blocked, and the rest goes on", async () => {
  const place = workplace({});
  const client = await startClient(cordonMcp(place, "--grants", "/nowhere.json", "--", ...SERVER), place);
  expect(textOf(await client.callTool({ name: "bash" }))).toMatch(/^Blocked: Cordon did not start: /);
  expect((await client.listResources()).resources).toHaveLength(1);
});

test("hooks hear when the session begins and ends", async () => {
  const place = workplace({ hears: { source: on("session", "console.log(`session ${event.reason}`);") } });
  const client = new RawClient(cordonMcp(place, "--", ...SERVER), place);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "agent", version: "1" } };
  client.write({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  expect(await client.answerTo(1)).toHaveProperty("result.serverInfo.name", "everything");
  client.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  // Hooks have heard of the start before they judge.
  expect(await client.call(2, "ls")).toBe("ran ls");
  expect(await client.end()).toBe(0);
  expect(client.stderr.match(/session \w+/g)).toEqual(["session start", "session shutdown"]);
});
