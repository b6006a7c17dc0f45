import { expect } from "vitest";
import { type Agent, ALL, type Case, type Fixture, registered, text } from "./interceptors-agent.ts";
import { ALL_NAMES } from "./interceptors-page-matching.ts";

/** Runs while it is loaded, and tells what came of each row under a name of its own. */
const METHODS = `import { createInterceptorRegistry } from "../interceptors/index.js";
import { getGlobalInterceptorRegistry, initializeGlobalInterceptors, resetGlobalInterceptors } from "../interceptors/global.js";
const tell = (what: string, value: unknown) => console.log(JSON.stringify([what, value]));
const ids = (list: { id: string }[]) => list.map(({ id }) => id);
const one = (id: string, more: object = {}) => ({ id, name: "tool.before", handler: () => {}, ...more }) as never;
const registry = createInterceptorRegistry();
tell("new", registry.list());
registry.add(one("a"));
registry.add(one("b", { priority: 1, toolMatcher: /^exec$/ }));
registry.add(one("m", { name: "message.before", agentMatcher: /^coder$/ }));
tell("list", ids(registry.list()));
tell("get", {
  exec: ids(registry.get("tool.before", "bash")),
  read: ids(registry.get("tool.before", "read")),
  coder: ids(registry.get("message.before", "coder")),
  writer: ids(registry.get("message.before", "writer")),
});
tell("get without context", [ids(registry.get("tool.before")), ids(registry.get("message.before"))]);
try {
  registry.add(one("bad", { toolMatcher: /^nonexistent_tool$/ }));
} catch (error) {
  tell("bad", [(error as Error).message, ids(registry.list())]);
}
registry.add(one("a", { priority: 9 }));
registry.remove("a");
registry.remove("nobody");
tell("removed", registry.list().map(({ id, priority }) => [id, priority ?? 0]));
registry.clear();
tell("cleared", registry.list());
tell("before", getGlobalInterceptorRegistry()!.list());
const global = initializeGlobalInterceptors();
const built = ({ id, name, priority, toolMatcher }: any) => [id, name, priority, String(toolMatcher)];
tell("built in", global.list().map(built));
tell("idempotent", [initializeGlobalInterceptors() === global, ids(global.list())]);
tell("anywhere", getGlobalInterceptorRegistry() === global);
resetGlobalInterceptors();
tell("reset", [getGlobalInterceptorRegistry(), ids(global.list())]);
initializeGlobalInterceptors().add(one("plugin:late"));
tell("flow", ids(getGlobalInterceptorRegistry()!.list()));
`;

const row = (says: string, what: string, expect: unknown): Case => ({
  says,
  drive: ({ loading }) => new Map(loading.map((line) => JSON.parse(line) as [string, unknown])).get(what),
  expect,
});

/** What the hooks say when a tool is used, in any order, and what the agent is told. */
const askAll = async (agent: Agent) => {
  agent.said();
  const { told } = await agent.use("bash", { command: "ls" }, () => ({ content: [text("out")] }));
  return [agent.said().sort(), told];
};

export const REGISTRIES: Fixture[] = [
  {
    what: "the registry's methods and the global registry",
    source: METHODS,
    cases: [
      row("createInterceptorRegistry() makes a registry, an ordered list without members", "new", []),
      row("list() lists all registered interceptors", "list", ["a", "b", "m"]),
      row("get(name, matchContext) gets those that match the tool or the agent, by priority", "get", {
        exec: ["b", "a"],
        read: ["a"],
        coder: ["m"],
        writer: [],
      }),
      row("get without context ignores matchers", "get without context", [["b", "a"], ["m"]]),
      row("add(reg) throws at once for a toolMatcher that fits no known name, and says all of them", "bad", [
        'Interceptor "bad": toolMatcher /^nonexistent_tool$/ does not match any known tool name. ' +
          `Known tools: ${ALL_NAMES.join(", ")}`,
        ["a", "b", "m"],
      ]),
      row("remove(id) removes by ID: the first of that id", "removed", [
        ["b", 1],
        ["m", 0],
        ["a", 9],
      ]),
      row("clear() removes all interceptors", "cleared", []),
      row("a hook finds the global registry made, and empty", "before", []),
      row("two built-in interceptors are registered when the global registry is initialized", "built in", [
        ["builtin:command-safety-guard", "tool.before", 100, "/^exec$/"],
        ["builtin:security-audit", "tool.before", 99, "/^(read|write|edit)$/"],
      ]),
      row("initializeGlobalInterceptors() is idempotent", "idempotent", [
        true,
        ["builtin:command-safety-guard", "builtin:security-audit"],
      ]),
      row("the global registry is the same from anywhere", "anywhere", true),
      row("resetGlobalInterceptors(): it is null, and holds nothing for who kept it", "reset", [null, []]),
      row("created, then the built-in guards, then what plugins add", "flow", [
        "builtin:command-safety-guard",
        "builtin:security-audit",
        "plugin:late",
      ]),
      {
        says: "a hook that has reset it is asked by the registry that stands when it is loaded",
        drive: (agent) => agent.blocked("rm -rf /"),
        expect: expect.stringMatching(/^Dangerous command: /),
      },
    ],
  },
  {
    what: "interceptors, hooks and plugins",
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
    beside: {
      pi: `export default (pi: any) => { pi.on("tool_call", async () => console.log("pi hook")); };`,
      plugin: `export default { id: "p", register: (api: any) => api.on("before_tool_call", () => console.log("plugin")) };`,
      list: {
        source: `export default [
  { id: "one of a list", name: "tool.before", handler: () => console.log("one of a list") },
  { id: "two of a list", name: "tool.before", priority: 1, handler: () => console.log("two of a list") },
];`,
      },
    },
    cases: [
      {
        says: "they are independent from hooks and plugins: each of them hears the call, in one pipeline",
        drive: askAll,
        expect: [
          ["interceptor tool.after", "interceptor tool.before", "one of a list", "pi hook", "plugin", "two of a list"],
          ["[Changed by hook hook]", "out by interceptor"],
        ],
      },
      {
        says: "each hook has its own dialect",
        drive: ({ host }) => host.hooks.map(({ id, dialect }) => [id, dialect]),
        expect: [
          ["hook", "interceptors"],
          ["pi", "pi"],
          ["plugin", "openclaw"],
          ["list", "interceptors"],
        ],
      },
      {
        says: "scope and timing: the tool execution pipeline, synchronous with the tool call",
        drive: async (agent) => {
          agent.said();
          const seen: string[][] = [];
          await agent.use("bash", { command: "ls" }, () => {
            seen.push(agent.said().filter((line) => line.startsWith("interceptor")));
            return { content: [] };
          });
          return [...seen, agent.said()];
        },
        expect: [["interceptor tool.before"], ["interceptor tool.after"]],
      },
      {
        says: "interceptors can block tools",
        drive: (agent) => agent.blocked("refuse"),
        expect: "Blocked by interceptor",
      },
      {
        says: "interceptors can mutate args",
        drive: async (agent) => (await agent.use("bash", { command: "ls" }, () => ({ content: [] }))).ran,
        expect: { command: "ls", by: "interceptor" },
      },
      {
        says: "interceptors can mutate results",
        drive: (agent) => agent.result("out"),
        expect: { content: [text("out by interceptor")] },
      },
      {
        says: "discovery is programmatic: what is in the registry at the end of the load counts",
        drive: ({ host }) => host.hooks[0]?.events,
        expect: ["tool_call", "tool_result"],
      },
    ],
  },
  {
    what: "a rewriter without the right to it",
    source: registered(`id: "x", name: "tool.before", handler: (_i, output) => { output.args.x = 1; }`),
    cases: [
      {
        says: "changes nothing, and it is told what it lacks",
        drive: async (agent) => [await agent.call("ls"), agent.errors().map(({ code, error }) => [code, error])],
        expect: [
          undefined,
          [
            [
              "NOT_GRANTED",
              "hook hook was not granted events.rewriteInput for bash: its change of the input was dropped; run: cordon grant hook events",
            ],
          ],
        ],
      },
    ],
  },
  {
    what: "the common uses, in one hook that exports a function of the registry",
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
    cases: [
      {
        says: "enrich or classify incoming messages before the agent sees them, by an async classifier",
        drive: (agent) => agent.message("do it", { agentId: "main" }),
        expect: { text: "[to main] do it", metadata: { kind: "order" } },
      },
      {
        says: "adjust thinking level or reasoning by the message's content, as classified",
        drive: (agent) => agent.exchange("why?"),
        expect: {
          message: "[to main] why?",
          metadata: { kind: "question" },
          thinkLevel: "medium",
          reasoningLevel: "on",
        },
      },
      {
        says: "inject default arguments into specific tools",
        drive: async (agent) => [await agent.call({ q: "x" }, "web_search"), await agent.call({ q: "x" }, "web_fetch")],
        expect: [{ input: { count: 5, q: "x" } }, undefined],
      },
      {
        says: "block dangerous tool calls by custom logic",
        drive: (agent) => agent.blocked({ sql: "drop table" }, "query"),
        expect: "Blocked by interceptor",
      },
      {
        says: "redact sensitive data from tool results",
        drive: (agent) => agent.result("password=hunter2 ok", { toolName: "read" }),
        expect: { content: [text("password=… ok")] },
      },
      {
        says: "log or audit every tool invocation",
        drive: async (agent) => {
          agent.said();
          for (const toolName of ["bash", "read", "my_tool"]) await agent.result("x", { toolName });
          return agent.said();
        },
        expect: ["exec", "read", "my_tool"],
      },
      {
        says: "transform tool output before the agent sees it, what is no text staying where it was",
        drive: (agent) =>
          agent.result([text("a"), { type: "image", data: "AA==", mimeType: "image/png" }, text("password=b")]),
        expect: { content: [text("A\nPASSWORD=…"), { type: "image", data: "AA==", mimeType: "image/png" }] },
      },
    ],
  },
];
