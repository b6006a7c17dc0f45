import { expect } from "vitest";
import {
  ALL,
  call,
  each,
  exchange,
  type Fixture,
  message,
  REGISTRY,
  refusal,
  reported,
  result,
  said,
  text,
  use,
} from "./interceptors-agent.ts";

const IMAGE = { type: "image" as const, data: "AA==", mimeType: "image/png" };

// biome-ignore format: a table
export const REGISTRIES: Fixture[] = [
  {
    about: "a hook that resets the global registry",
    source: `import { initializeGlobalInterceptors, resetGlobalInterceptors } from "../interceptors/global.js";
resetGlobalInterceptors();
initializeGlobalInterceptors().add({ id: "plugin:late", name: "tool.before", handler: () => console.log("late") });
`,
    rows: [
      ["is asked by the registry that stands when it is loaded: the built-in guards, then what plugins add",
        each(refusal("rm -rf /"), said()), [expect.stringMatching(/^Dangerous command: /), ["late"]]],
    ],
  },
  {
    about: "interceptors, hooks and plugins",
    source: `import { createInterceptorRegistry } from "cordon/interceptors";
const own = createInterceptorRegistry();
for (const name of ["tool.before", "tool.after"] as const)
  own.add({
    id: name,
    name,
    handler: async (_input: unknown, output: any) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      console.log("interceptor " + name);
      if (output.args) output.args.by = "interceptor";
      else output.result.output += " by interceptor";
      if (output.args?.command === "refuse") output.block = true;
    },
  });
export default own;
`,
    grant: ALL,
    beside: { pi: `export default (pi: any) => { pi.on("tool_call", async () => console.log("pi hook")); };`, plugin: `export default { id: "p", register: (api: any) => api.on("before_tool_call", () => console.log("plugin")) };`, list: `export default [
  { id: "one of a list", name: "tool.before", handler: () => console.log("one of a list") },
  { id: "two of a list", name: "tool.before", priority: 1, handler: () => console.log("two of a list") },
];` },
    rows: [
      ["they are independent from hooks and plugins: each of them hears the call, in one pipeline",
        async (agent) => ((await said(use("ls", "bash", () => [text("out")]))(agent)) as string[]).sort(),
        ["interceptor tool.after", "interceptor tool.before", "one of a list", "pi hook", "plugin", "two of a list"]],
      ["each hook has its own dialect", ({ host }) => host.hooks.map(({ id, dialect }) => `${id}: ${dialect}`),
        ["hook: interceptors", "pi: pi", "plugin: openclaw", "list: interceptors"]],
      ["tool.before runs before the tool, and tool.after when it is done",
        async (agent) => { let before: string[] = []; const meanwhile = use("ls", "bash", () =>
          { before = agent.log.splice(0).map((line) =>
          line.text); return []; }); return [(await said(meanwhile)(agent)), before.filter((line) =>
          line.startsWith("interceptor"))]; }, [["interceptor tool.after"], ["interceptor tool.before"]]],
      ["interceptors can block tools", refusal("refuse"), "Blocked by interceptor"],
      ["interceptors can mutate args, and results", use("ls", "bash", () => [text("out")]),
        { ran: { command: "ls", by: "interceptor" }, told: ["[Changed by hook hook]", "out by interceptor"] }],
      ["discovery is programmatic: what is in the registry at the end of the load counts",
        ({ host }) => host.hooks[0]?.events, ["tool_call", "tool_result"]],
    ],
  },
  {
    about: "a rewriter without the right to it",
    source: `${REGISTRY}registry.add({ id: "x", name: "tool.before", handler: (_i, output) => { output.args.x = 1; } });`,
    rows: [
      ["changes nothing, and it is told what it lacks", reported(call("ls")),
        [undefined,
          [{ code: "NOT_GRANTED",
            error: expect.stringMatching(/^hook hook was not granted events.rewriteInput for bash: its change of the input was dropped; add "events": \{"see":\["\*"\],"block":true,"rewriteInput":\["bash"\]\} to the grant that its host gives it$/),
            event: "tool_call" }]]],
    ],
  },
  {
    about: "the common uses, in one hook that exports a function of the registry",
    source: `import { type InterceptorRegistry } from "cordon/interceptors";
import { getGlobalInterceptorRegistry } from "cordon/interceptors";
const classify = async (message: string) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return /[?]$/.test(message) ? "question" : "order";
};
export default async function (registry: InterceptorRegistry) {
  if (registry !== getGlobalInterceptorRegistry()) throw new Error("another registry");
  registry.add({ id: "enrich", name: "message.before", handler: async (input, output) => {
    output.metadata.kind = await classify(output.message);
    output.message = "[to " + input.agentId + "] " + output.message;
  } });
  registry.add({ id: "adjust", name: "params.before", handler: (input, output) => {
    if (input.metadata.kind === "question") Object.assign(output, { thinkLevel: "medium", reasoningLevel: "on" });
  } });
  registry.add({ id: "default", name: "tool.before", toolMatcher: /^web_search$/, handler: (_input, output) => {
    output.args = { count: 5, ...output.args };
  } });
  registry.add({ id: "gate", name: "tool.before", handler: (_input, output) => {
    if (Object.values(output.args).includes("drop table")) output.block = true;
  } });
  registry.add({ id: "log", name: "tool.after", priority: -5, handler: (input) => console.log(input.toolName) });
  registry.add({ id: "redact", name: "tool.after", handler: (_input, output) => {
    for (const item of output.result.content) if (item.type === "text") item.text = item.text.replace(/password=\\w+/g, "password=…");
  } });
  registry.add({ id: "transform", name: "tool.after", toolMatcher: /^exec$/, handler: (_input, output) => {
    output.result.output = output.result.output?.toUpperCase();
  } });
}
`,
    grant: ALL,
    rows: [
      ["enrich or classify incoming messages before the agent sees them, by an async classifier",
        message("do it", { agentId: "main" }), { text: "[to main] do it", metadata: { kind: "order" } }],
      ["adjust thinking level or reasoning by the message's content, as classified", exchange("why?"),
        { message: "[to main] why?", metadata: { kind: "question" }, thinkLevel: "medium", reasoningLevel: "on" }],
      ["inject default arguments into specific tools",
        each(call({ q: "x" }, "web_search"), call({ q: "x" }, "web_fetch")),
        [{ input: { count: 5, q: "x" } }, undefined]],
      ["block dangerous tool calls by custom logic", refusal({ sql: "drop table" }, "query"), "Blocked by interceptor"],
      ["redact sensitive data from tool results", result("password=hunter2 ok", { toolName: "read" }),
        { content: [text("password=… ok")] }],
      ["log or audit every tool invocation",
        said(...["bash", "read", "my_tool"].map((toolName) => result("x", { toolName }))), ["exec", "read", "my_tool"]],
      ["transform tool output before the agent sees it, what is no text staying where it was",
        result([text("a"), IMAGE, text("password=b")]), { content: [text("A\nPASSWORD=…"), IMAGE] }],
    ],
  },
];
