import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { resultText, SERVER, startClient } from "./mcp-process.ts";

const readme = readFileSync(join(PACKAGE_ROOT, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);

/** The block of code of README.md that contains these words. */
const blockWith = (words: string): string => blocks.find((code) => code.includes(words)) ?? "";

const GATE = onToolCall(
  `if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "not with rm -rf" };`,
);

/** A folder in which Cordon and the frameworks are installed, as for their users, with a hook. */
let place: { folder: string; env: Record<string, string> };

beforeAll(() => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "cordon-test-"));
  const installed = join(folder, "node_modules");
  mkdirSync(installed);
  for (const from of [join(PACKAGE_ROOT, "node_modules"), join(PACKAGE_ROOT, "test", "node_modules")])
    for (const name of readdirSync(from))
      if (!/^\.|cordon/.test(name)) symlinkSync(join(from, name), join(installed, name));
  // A link would lead Node to this repository, and to what it has installed.
  for (const part of ["package.json", "dist"])
    cpSync(join(PACKAGE_ROOT, part), join(installed, "cordon", part), { recursive: true });
  writeFiles(folder, { "gate.ts": GATE });
  const env = { ...process.env, HOME: folder, CORDON_HOME: join(folder, "home") } as Record<string, string>;
  place = { folder, env };
});

afterAll(() => rmSync(place.folder, { recursive: true, force: true }));

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
    words: "cordon/ai",
    before: AI,
    after: "console.log(JSON.stringify(read));\nawait host.close();",
  },
  {
    name: "LangChain",
    words: "cordon/langchain",
    before: LANGCHAIN,
    after: `const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
      console.log(JSON.stringify(messages.filter(({ type }) => type === "tool").map(({ content }) => content)));
      await host.close();`,
  },
  {
    name: "Strands",
    words: "cordon/strands",
    before: STRANDS,
    // The plugin's own host does not keep the process.
    after: `await agent.invoke("go");
      console.log("\\n" + JSON.stringify(agent.messages.flatMap(({ content }) => content)
        .filter(({ type }) => type === "toolResultBlock").map(({ content }) => content[0].text)));`,
  },
];

test.each(FRAMEWORKS)("the block for $name runs as it stands, from the package", async ({ words, before, after }) => {
  const { folder, env } = place;
  const block = blockWith(words);
  expect(block).not.toBe("");
  writeFiles(folder, { "agent.mjs": `${before}\n${block}\n${after}\n` });
  const { stdout } = await promisify(execFile)(process.execPath, ["agent.mjs"], { cwd: folder, env });
  const read: string[] = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(read[0]).toBe("ran ls");
  expect(read[1]).toMatch(/^Blocked by hook .*gate.ts: not with rm -rf$/);
});

test("the command line for MCP is as it stands in a client's settings", async () => {
  const { folder, env } = place;
  const [line = "", http = ""] = blockWith("cordon mcp --hook").trim().split("\n");
  const cordon = [process.execPath, join(folder, "node_modules", "cordon", "dist", "src", "cli", "start.js")];
  const words = line.split(" ").slice(1, -2);
  const client = await startClient([...cordon, ...words, ...SERVER], { folder, env });
  const read = async (command: string) =>
    resultText({ result: await client.callTool({ name: "bash", arguments: { command } }) });
  expect(await read("ls")).toBe("ran ls");
  expect(await read("rm -rf /")).toMatch(/^Blocked by hook .*gate.ts: not with rm -rf$/);
  expect(http).toMatch(/^cordon mcp --hook \.\/gate\.ts --url https:\S+ --header "\w+: [^"]+"$/);
});
