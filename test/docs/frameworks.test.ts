import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { resultText, SERVER, startClient } from "../embedded/mcp-process.ts";
import { onToolCall } from "../support/session.ts";
import { pageAt, pages } from "./pages.ts";
import { sharedMachine } from "./place.ts";

const shared = sharedMachine();
const { blocks } = pageAt("docs/embedding.md");

const GATE = onToolCall(
  `if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };`,
);

const LANGCHAIN = `
  import { fakeModel, tool } from "langchain";
  import { AIMessage, HumanMessage } from "@langchain/core/messages";
  const schema = { type: "object", properties: {}, additionalProperties: true };
  const tools = [tool(async ({ command }) => "ran " + command, { name: "bash", description: "runs", schema })];
  const model = fakeModel()
    .respondWithTools(["ls", "rm -rf /"].map((command, at) => ({ name: "bash", args: { command }, id: "call-" + at })))
    .respond(new AIMessage("done"));`;

const AI = `
  import { jsonSchema, tool } from "ai";
  import { MockLanguageModelV3 } from "ai/test";
  const tools = { bash: tool({ inputSchema: jsonSchema({ type: "object" }), execute: async ({ command }) => "ran " + command }) };
  const prompt = "go";
  const read = [];
  const usage = { inputTokens: {}, outputTokens: {} };
  const model = new MockLanguageModelV3({ doGenerate: async (asked) => {
    for (const { role, content } of asked.prompt) if (role === "tool") read.push(...content.map(({ output }) => output.value));
    const calls = ["ls", "rm -rf /"].map((command, at) => (
      { type: "tool-call", toolCallId: "call-" + at, toolName: "bash", input: JSON.stringify({ command }) }));
    return asked.prompt.length > 1
      ? { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] }
      : { content: calls, finishReason: { unified: "tool-calls" }, usage, warnings: [] };
  } });`;

const STRANDS = `
  import { Model, tool } from "@strands-agents/sdk";
  let turn = 0;
  class Scripted extends Model {
    updateConfig() {}
    getConfig() { return {}; }
    async *stream() {
      yield { type: "modelMessageStartEvent", role: "assistant" };
      for (const [at, command] of (turn++ === 0 ? ["ls", "rm -rf /"] : []).entries()) {
        yield { type: "modelContentBlockStartEvent", start: { type: "toolUseStart", name: "bash", toolUseId: "call-" + at } };
        yield { type: "modelContentBlockDeltaEvent", delta: { type: "toolUseInputDelta", input: JSON.stringify({ command }) } };
        yield { type: "modelContentBlockStopEvent" };
      }
      yield { type: "modelMessageStopEvent", stopReason: turn === 1 ? "toolUse" : "endTurn" };
    }
  }
  const model = new Scripted();
  const tools = [tool({ name: "bash", description: "runs", inputSchema: { type: "object" }, callback: ({ command }) => "ran " + command })];`;

const FRAMEWORKS = [
  {
    name: "the AI SDK",
    agent: "ai",
    before: AI,
    after: "console.log(JSON.stringify(read));\nawait host.close();",
  },
  {
    name: "LangChain",
    agent: "langchain",
    before: LANGCHAIN,
    after: `const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
      console.log(JSON.stringify(messages.filter(({ type }) => type === "tool").map(({ content }) => content)));
      await host.close();`,
  },
  {
    name: "Strands",
    agent: "strands",
    before: STRANDS,
    // The plugin's own host does not keep the process.
    after: `await agent.invoke("go");
      console.log("\\n" + JSON.stringify(agent.messages.flatMap(({ content }) => content)
        .filter(({ type }) => type === "toolResultBlock").map(({ content }) => content[0].text)));`,
  },
];

test.each(FRAMEWORKS)("the block for $name runs as it stands, from the package", async ({ agent, before, after }) => {
  const block = blocks.find(({ words }) => words.get("agent") === agent);
  const project = shared.machine.project();
  project.write("gate.ts", GATE);
  project.write("agent.mjs", `${before}\n${block?.code}\n${after}\n`);
  const settings = { cwd: project.folder, env: project.env };
  const { stdout } = await promisify(execFile)(process.execPath, ["agent.mjs"], settings);
  const read: string[] = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(read[0]).toBe("ran ls");
  expect(read[1]).toMatch(/^Blocked by hook .*gate.ts: not with rm -rf$/);
});

test("the command line for MCP is as it stands in a client's settings", async () => {
  const all = pages().flatMap((page) => page.blocks.filter(({ words }) => words.get("with") === "mcp"));
  // Each page shows the same lines.
  const [code = "", ...others] = new Set(all.map((block) => block.code));
  expect(others).toEqual([]);
  const [line = "", http = ""] = code.split("\n");
  const { machine } = shared;
  const project = machine.project();
  project.write("gate.ts", GATE);
  const words = line.split(" ").slice(1, -2);
  const client = await startClient([join(machine.root, "bin", "cordon"), ...words, ...SERVER], {
    folder: project.folder,
    env: project.env,
  });
  const read = async (command: string) =>
    resultText({ result: await client.callTool({ name: "bash", arguments: { command } }) });
  expect(await read("ls")).toBe("ran ls");
  expect(await read("rm -rf /")).toMatch(/^Blocked by hook .*gate.ts: not with rm -rf$/);
  expect(http).toMatch(/^cordon mcp --hook \.\/gate\.ts --url https:\S+ --header "\w+: [^"]+"$/);
});
