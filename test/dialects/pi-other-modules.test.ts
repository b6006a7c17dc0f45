import * as core from "@earendil-works/pi-agent-core";
import * as ai from "@earendil-works/pi-ai";
import { expect, test } from "vitest";
import { hookFolder, startFolder } from "../bundle/hook-folder.ts";
import { onToolCall } from "../support/session.ts";

const MODEL = { provider: "acme", id: "small", api: "faux" };

/** What an expression is in a hook with these imports, or the message of its error. */
async function inHook(
  imports: string,
  expression: string,
  powers: object = {},
  packages: Record<string, string> = {},
): Promise<unknown> {
  const source = onToolCall(
    `let said; try { said = await (async () => ${expression})(); } catch (error: any) { said = error.message; }
     return { block: true, reason: JSON.stringify(said ?? null) };`,
    imports,
  );
  const files = Object.entries(packages).map(([path, content]) => [`node_modules/${path}`, content]);
  const { hook, reason } = await startFolder(
    hookFolder({ "index.ts": source, ...Object.fromEntries(files) }),
    "index.ts",
    {
      agent: { read: { models: () => [MODEL] }, act: {} } as never,
      model: {
        findModel: () => MODEL,
        complete: async () => ai.fauxAssistantMessage([ai.fauxText("from the agent")]),
      } as never,
    },
    { grant: { capabilities: { events: { see: ["tool_call"], block: true }, ...powers } } as never },
  );
  expect(hook().reason).toBeUndefined();
  return JSON.parse((await reason()) ?? "null");
}

/** An agent with one tool, whose model answers from a script; what it tells, and its conversation. */
const LOOP = `{
  const answers = [
    ai.fauxAssistantMessage([ai.fauxToolCall("add", { a: 2, b: 3 }, { id: "1" })], { stopReason: "toolUse" }),
    ai.fauxAssistantMessage([ai.fauxToolCall("add", { a: "no" }, { id: "2" })], { stopReason: "toolUse" }),
    ai.fauxAssistantMessage([ai.fauxText("five")]),
  ];
  const streamFn = () => {
    const stream = ai.createAssistantMessageEventStream();
    const message = answers.shift();
    stream.push({ type: "done", reason: message.stopReason, message });
    stream.end();
    return stream;
  };
  const add = { name: "add", label: "Add", description: "Adds.", parameters: ai.Type.Object({ a: ai.Type.Number(), b: ai.Type.Number() }),
    execute: async (_id, { a, b }) => ({ content: [{ type: "text", text: String(a + b) }], details: {} }) };
  const agent = new core.Agent({ streamFn, initialState: { model: { provider: "p", id: "m", api: "faux" }, systemPrompt: "Add.", tools: [add] } });
  const told = [];
  agent.subscribe(({ type }) => { told.push(type); });
  await agent.prompt("two and three?");
  const texts = agent.state.messages.map(({ role, content, isError }) => [role, isError ?? null, JSON.stringify(content).slice(0, 150)]);
  const helpers = [core.getOrThrow(core.ok(1)), core.getOrUndefined(core.err(new Error("x"))) ?? null, core.toError("y").message, core.formatSize(2048),
    core.truncateTail("a\\nb\\nc", { maxLines: 2 }).content, core.convertToLlm([core.createCustomMessage("t", "hi", true, {}, "2026-01-01T00:00:00Z")]).length];
  return [told.join(" "), texts, helpers];
}`;

test("an agent of pi-agent-core runs in a hook as beside pi", async () => {
  const imports = `import * as core from "@mariozechner/pi-agent-core"; import * as ai from "@earendil-works/pi-ai";`;
  const run = new Function("core", "ai", `return (async () => ${LOOP})();`) as (
    ...modules: object[]
  ) => Promise<object>;
  expect(await inHook(imports, LOOP)).toEqual(JSON.parse(JSON.stringify(await run(core, ai))));
});

const ASKS = `{ const agent = new Agent({ initialState: { model: { provider: "acme", id: "small", api: "faux" } } });
  await agent.prompt("hello"); return [agent.state.errorMessage ?? null, agent.state.messages.at(-1).content[0]?.text ?? null]; }`;

test("without a function of its own, it asks the agent's models by the power", async () => {
  const imports = `import { Agent } from "@earendil-works/pi-agent-core";`;
  expect(await inHook(imports, ASKS, { model: ["acme"] })).toEqual([null, "from the agent"]);
  expect(await inHook(imports, ASKS)).toEqual([expect.stringContaining("not granted"), null]);
});

// biome-ignore format: a table
const MODULES: [claim: string, imports: string, expression: string, says: unknown][] = [
  ["what signs in says where keys stay", `import { getOAuthProviders } from "@mariozechner/pi-ai/oauth";`, `getOAuthProviders()`, "getOAuthProviders of @mariozechner/pi-ai/oauth is not offered to hooks: keys and providers stay with the agent: ask a model with complete()"],
  ["so does a static member of it", `import * as oauth from "@earendil-works/pi-ai/oauth"; import { Store } from "@earendil-works/pi-ai/oauth";`, `Store.create()`, "Store of @earendil-works/pi-ai/oauth is not offered to hooks: keys and providers stay with the agent: ask a model with complete()"],
  ["built-in models are those of the agent", `import { getBuiltinModel, getBuiltinModels, getBuiltinProviders } from "@earendil-works/pi-ai/providers/all";`, `[getBuiltinProviders(), getBuiltinModels("acme").length, getBuiltinModel("acme", "small").id]`, [["acme"], 1, "small"]],
  ["built-in providers stay with the agent", `import { builtinModels } from "@earendil-works/pi-ai/providers/all";`, `builtinModels()`, expect.stringContaining("builtinModels of @earendil-works/pi-ai/providers/all is not offered to hooks: keys")],
  ["a part of pi-ai by its own path", `import { isContextOverflow } from "@mariozechner/pi-ai/dist/utils/overflow.js"; import { uuidv7 } from "@earendil-works/pi-ai/utils/uuid";`, `[isContextOverflow({ stopReason: "stop", content: [], usage: {} }), uuidv7().length]`, [false, 36]],
  ["the module of an interface of models", `import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";`, `Object.keys(openAICompletionsApi())`, ["stream", "streamSimple"]],
  ["a part of pi-coding-agent by its own path", `import { createReadTool } from "@mariozechner/pi-coding-agent/dist/core/tools/read.js";`, `createReadTool("/").name`, "read"],
  ["what is of pi's own harness says what to take", `import { MemorySessionRepo } from "@earendil-works/pi-agent-core";`, `new MemorySessionRepo()`, "MemorySessionRepo of @earendil-works/pi-agent-core is not offered to hooks: it is of pi's own harness: createAgentSession of pi-coding-agent makes an agent"],
];

test.each(MODULES)("%s", async (_claim, imports, expression, says) => {
  expect(await inHook(imports, expression, { agent: ["models"], model: ["acme"] })).toEqual(says);
});

test("a copy of the hook's own is taken whole", async () => {
  const imports = `import { MemorySessionRepo } from "@earendil-works/pi-agent-core";`;
  const copy = {
    "@earendil-works/pi-agent-core/package.json": '{ "main": "index.js", "type": "module" }',
    "@earendil-works/pi-agent-core/index.js": "export class MemorySessionRepo { own = true; }",
  };
  expect(await inHook(imports, "new MemorySessionRepo()", {}, copy)).toEqual({ own: true });
});

// biome-ignore format: a table
const REFUSED: [claim: string, specifier: string][] = [
  ["code for an interface that hooks do not have", "@earendil-works/pi-ai/api/google-vertex"],
  ["data of a package", "@earendil-works/pi-coding-agent/package.json"],
  ["another package", "@earendil-works/pi-web-ui"],
];

test.each(REFUSED)("%s is no module of these", async (_claim, specifier) => {
  const { hook } = await startFolder(
    hookFolder({ "index.ts": onToolCall("a();", `import { a } from ${JSON.stringify(specifier)};`) }),
  );
  expect(hook().reason).toContain(`Could not resolve ${JSON.stringify(specifier)} in the hook's own folder`);
});
