import { expect, test } from "vitest";
import { commandAgent } from "../../src/agents/command/index.ts";
import { hostile, REDACT, started } from "../embedded/mcp-hostile.ts";
import { on, startSession } from "../support/session.ts";

// V8 takes the second `comman\u0064` for the first one's `comman\\`: see `sandbox/wire/read-json.ts`.

test("a model that writes its arguments as text hides none from a gate", () => {
  const toolArgs = '{"x":{"x":1,"comman\\\\":2},"comman\\u0064":"rm -rf /"}';
  const agent = commandAgent("copilot-cli");
  const event = { sessionId: "s", timestamp: 1, cwd: "/w", toolName: "bash", toolArgs };
  const spoken = agent?.read(JSON.stringify(event), { event: "preToolUse", isGate: true, cwd: "/w" });
  expect(spoken?.said).toMatchObject({ use: { input: { command: "rm -rf /" } } });
});

test("an MCP server hides no result from hooks that redact it", async () => {
  const result = '{"content":[{"type":"text","text":"hunter2"}]}';
  const answer = `{"jsonrpc":"2.0","id":ID,"x":{"jsonrpc":"2.0","id":1,"x":2,"resul\\\\":3},"resul\\u0074":${result}}`;
  const server = hostile(`say(${JSON.stringify(answer)}.replace("ID", JSON.stringify(id)));`);
  const client = started({ redact: REDACT }, server);
  expect(await client.call(1, "ls")).toMatch(/\n\*\*\*$/);
});

test("a hook reads the names that an event has, whatever it read before", async () => {
  const session = await startSession({
    gate: on("tool_call", `if (Object.hasOwn(event.input.files, 'a"b')) return { block: true, reason: "seen" };`),
  });
  const write = (files: object) =>
    session.host.emitToolCall({ type: "tool_call", toolName: "write", toolCallId: "1", input: { files } });
  for (let time = 0; time < 3; time++) expect(await write({ path: 1, 'a\\"': 2 })).toBeUndefined();
  expect(await write({ path: 1, 'a"b': 2 })).toMatchObject({ block: true, reason: "seen" });
});

test("what an event with such a name has is of the hook's own realm", async () => {
  const { call } = await startSession({
    gate: on(
      "tool_call",
      `const own = (value: any) => value instanceof Object && Object.values(value).every((one) => typeof one !== "object" || own(one));
      return { block: true, reason: String(own(event.input) && event.input["\\n"].list instanceof Array) };`,
    ),
  });
  expect(await call({ "\n": { list: [{}] } })).toMatchObject({ reason: "true" });
});

test("a hook that parses what a tool gets as text reads its names", async () => {
  const session = await startSession({
    gate: on("tool_call", `if (JSON.parse(event.input.text).command) return { block: true, reason: "seen" };`),
  });
  const run = (text: string) =>
    session.host.emitToolCall({ type: "tool_call", toolName: "run", toolCallId: "1", input: { text } });
  expect(await run('{"x":1,"comman\\\\":2}')).toBeUndefined();
  expect(await run('{"x":1,"comman\\u0064":"rm -rf /"}')).toMatchObject({ block: true, reason: "seen" });
});

test("a tool runs with the names that a hook gave it", async () => {
  const session = await startSession({
    rewrite: {
      source: on("tool_call", `event.input.files = event.input.first ? { p: 1, 'a\\\\"': 2 } : { p: 1, 'a"b': 3 };`),
      grant: { capabilities: { events: { see: ["*"], rewriteInput: ["*"] } } },
    },
  });
  const call = (first: boolean) =>
    session.host.emitToolCall({ type: "tool_call", toolName: "write", toolCallId: "1", input: { first } });
  for (let time = 0; time < 3; time++) await call(true);
  expect(await call(false)).toMatchObject({ input: { files: { p: 1, 'a"b': 3 } } });
});
