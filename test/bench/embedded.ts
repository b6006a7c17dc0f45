import { registerHooks } from "node:module";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Agent, tool as strandsTool } from "@strands-agents/sdk";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createAgent, fakeModel, tool as langchainTool } from "langchain";
import { withCordon } from "../../dist/src/agents/ai/index.js";
import { cordon as langchain } from "../../dist/src/agents/langchain/index.js";
import { cordon as strands } from "../../dist/src/agents/strands/index.js";
import type { HookHost } from "../../dist/src/index.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { aiModel } from "../embedded/ai-model.ts";
import { ScriptedModel } from "../embedded/strands-model.ts";
import { startHost } from "./cordon.ts";
import { inTurns, print, type Row, round, type Times, type Variant } from "./measure.ts";

// The adapter finds the SDK where its users install it, and not in the folder of the tests.
registerHooks({
  resolve: (name, context, next) =>
    next(name, name === "@strands-agents/sdk" ? { ...context, parentURL: import.meta.url } : context),
});

const ROUNDS = 5;
const PER_ROUND = 20;
const CALL = { tool: "bash", input: { command: "git status --short" } } as const;
const ALONE = "alone";
const WITHIN = "within Cordon";

const nothing = async (): Promise<void> => {};

/** A run of `generateText` with one call. */
function ai(name: string, host?: HookHost): Variant {
  const bash = tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: async () => "ran" });
  const tools = host ? withCordon({ bash }, host) : { bash };
  const once = async (): Promise<void> => {
    const { model } = aiModel(MockLanguageModelV3, [CALL]);
    await generateText({ model, prompt: "go", tools, stopWhen: stepCountIs(3) });
  };
  return { name, once, close: nothing };
}

/** A run of `createAgent` with one call. */
function langchainAgent(name: string, host?: HookHost): Variant {
  const schema = { type: "object", properties: {}, additionalProperties: true } as const;
  const tools = [langchainTool(async () => "ran", { name: "bash", description: "runs", schema })];
  const once = async (): Promise<void> => {
    const call = { name: CALL.tool, args: CALL.input, id: "call-1" };
    const model = fakeModel().respondWithTools([call]).respond(new AIMessage("done"));
    const agent = createAgent({ model, tools, ...(host ? { middleware: [langchain(host)] } : {}) });
    await agent.invoke({ messages: [new HumanMessage("go")] });
  };
  return { name, once, close: nothing };
}

/** A run of Strands' `Agent` with one call. */
function strandsAgent(name: string, host?: HookHost): Variant {
  const callback = (): string => "ran";
  const tools = [strandsTool({ name: "bash", description: "runs", inputSchema: { type: "object" }, callback })];
  const once = async (): Promise<void> => {
    const plugins = host ? [strands(host)] : [];
    await new Agent({ model: new ScriptedModel([CALL]), tools, plugins, printer: false }).invoke("go");
  };
  return { name, once, close: nothing };
}

/** One call of a server in another process. */
async function mcp(name: string, before: readonly string[]): Promise<Variant> {
  const server = [process.execPath, join(PACKAGE_ROOT, "test", "embedded", "mcp-server.ts")];
  const [command = "", ...args] = [...before, ...server];
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  const once = async (): Promise<void> => {
    const { isError } = await client.callTool({ name: CALL.tool, arguments: CALL.input });
    if (isError) throw new Error("the call was blocked");
  };
  return { name, once, close: () => client.close() };
}

/** Each adapter for agents that are libraries, beside its framework alone. */
export async function embedded(folder: string): Promise<boolean> {
  const where = join(folder, "embedded");
  const host = await startHost(where, 1);
  const cordonMcp = [process.execPath, join(PACKAGE_ROOT, "dist", "src", "cli", "start.js"), "mcp", "--no-discover"];
  const gate = ["--hook", join(where, "hooks", "gate-0.ts"), "--"];
  const pairs: [what: string, alone: Variant, within: Variant][] = [
    ["a run of the AI SDK with one call", ai(ALONE), ai(WITHIN, host)],
    ["a run of LangChain with one call", langchainAgent(ALONE), langchainAgent(WITHIN, host)],
    ["a run of Strands with one call", strandsAgent(ALONE), strandsAgent(WITHIN, host)],
    ["a call of an MCP server", await mcp(ALONE, []), await mcp(WITHIN, [...cordonMcp, ...gate])],
  ];
  const rows: Row[] = [];
  for (const [what, alone, within] of pairs) {
    const times = new Map<string, Times>();
    await inTurns([alone, within], ROUNDS, PER_ROUND, times);
    const median = (name: string): number => (times.get(name) as Times).median;
    rows.push({
      what,
      value: `${round(median(WITHIN))} µs`,
      beside: `${round(median(ALONE))} µs: without Cordon`,
      ratio: median(WITHIN) / median(ALONE),
    });
    await Promise.all([alone.close(), within.close()]);
  }
  await host.close();
  return print("Agents that are libraries, with one hook (median; the model answers at once)", rows);
}
