import { expect } from "vitest";
import { type Agent, ALL, type Case, type Fixture, REGISTRY, text } from "./interceptors-agent.ts";

/** The page's table of canonical names, row by row. */
const TOOL_NAMES: Record<string, string[]> = {
  "File system (group:fs)": ["read", "write", "edit", "apply_patch"],
  "Runtime (group:runtime)": ["exec", "process"],
  "Memory (group:memory)": ["memory_search", "memory_get"],
  "Web (group:web)": ["web_search", "web_fetch"],
  "Sessions (group:sessions)": [
    "sessions_list",
    "sessions_history",
    "sessions_send",
    "sessions_spawn",
    "session_status",
  ],
  "UI (group:ui)": ["browser", "canvas"],
  "Automation (group:automation)": ["cron", "gateway"],
  "Messaging (group:messaging)": ["message"],
  "Nodes (group:nodes)": ["nodes"],
  Other: ["agents_list", "image", "tts"],
};
export const ALL_NAMES = Object.values(TOOL_NAMES).flat();

/** Which of the hook's registrations a call reaches. */
const reached = async (agent: Agent, tool: string) => {
  agent.said();
  await agent.call({}, tool);
  return agent.said();
};

const rows = Object.entries(TOOL_NAMES).map(
  ([group, names]): Case => ({
    says: `canonical names, ${group}: ${names.join(", ")}`,
    drive: (agent) => Promise.all(names.map((name) => agent.blocked({ only: true }, name))),
    expect: names,
  }),
);

const normalised: [name: string, canonical: string][] = [
  ["bash", "exec"],
  ["apply-patch", "apply_patch"],
  [" Bash\n", "exec"],
  ["READ", "read"],
  ["APPLY-PATCH", "apply_patch"],
];

export const MATCHING: Fixture[] = [
  {
    what: "the canonical tool names",
    source: `import { KNOWN_TOOL_NAMES } from "../interceptors/types.js";
${REGISTRY}
console.log([...KNOWN_TOOL_NAMES].join(" "));
for (const tool of KNOWN_TOOL_NAMES)
  registry.add({
    id: tool,
    name: "tool.before",
    toolMatcher: new RegExp("^" + tool + "$"),
    handler: (_input, output) => {
      output.block = true;
      output.blockReason = [output.blockReason ?? "", tool].join(" ").trim();
    },
  });
`,
    cases: [
      {
        says: "KNOWN_TOOL_NAMES is the full set of 24",
        drive: (agent) => agent.loading[0]?.split(" ").sort(),
        expect: [...ALL_NAMES].sort(),
      },
      ...rows,
      ...normalised.map(
        ([name, canonical]): Case => ({
          says: `${JSON.stringify(name)} is normalized to ${canonical}`,
          drive: (agent) => agent.blocked({}, name),
          expect: canonical,
        }),
      ),
      {
        says: "a tool that no matcher fits is not blocked",
        drive: (agent) => agent.blocked({}, "my_plugin_tool"),
        expect: undefined,
      },
    ],
  },
  {
    what: "toolMatcher and agentMatcher",
    source: `${REGISTRY}
const says = (id: string, name: string, more: object) =>
  registry.add({ id, name, handler: () => console.log(id), ...more } as never);
says("exec only", "tool.before", { toolMatcher: /^exec$/ });
says("any that starts with web", "tool.before", { toolMatcher: /^web/ });
says("read or write", "tool.before", { toolMatcher: /^(read|write)$/ });
says("catch-all", "tool.before", { toolMatcher: /.*/ });
says("no matcher", "tool.before", {});
says("global", "tool.before", { toolMatcher: /edit/g });
says("sticky", "tool.before", { toolMatcher: /edit/y });
says("matcher of agents", "tool.before", { agentMatcher: /^coder$/ });
says("coder", "message.before", { agentMatcher: /^coder$/ });
says("all agents", "message.before", {});
says("matcher of tools", "message.before", { toolMatcher: /^exec$/ });
says("coder's params", "params.before", { agentMatcher: /^coder$/ });
says("all params", "params.before", {});
says("web results", "tool.after", { toolMatcher: /^web/ });
`,
    cases: [
      {
        says: "/^exec$/ matches only exec",
        drive: (agent) => reached(agent, "exec"),
        expect: ["exec only", "catch-all", "no matcher", "matcher of agents"],
      },
      {
        says: "the matcher is tested against the normalized tool name",
        drive: (agent) => reached(agent, "bash"),
        expect: ["exec only", "catch-all", "no matcher", "matcher of agents"],
      },
      {
        says: "/^web/ matches any tool starting with web",
        drive: async (agent) => [await reached(agent, "web_search"), await reached(agent, "web_fetch")],
        expect: Array(2).fill(["any that starts with web", "catch-all", "no matcher", "matcher of agents"]),
      },
      {
        says: "/^(read|write)$/ matches read or write",
        drive: async (agent) => [await reached(agent, "read"), await reached(agent, "write")],
        expect: Array(2).fill(["read or write", "catch-all", "no matcher", "matcher of agents"]),
      },
      {
        says: "plugin-provided tools can be intercepted by a catch-all regex or without toolMatcher",
        drive: (agent) => reached(agent, "plugin_tool"),
        expect: ["catch-all", "no matcher", "matcher of agents"],
      },
      {
        says: "a matcher with g or y answers the same each time",
        drive: async (agent) => [
          await reached(agent, "edit"),
          await reached(agent, "edit"),
          await reached(agent, "edit"),
        ],
        expect: Array(3).fill(["catch-all", "no matcher", "global", "sticky", "matcher of agents"]),
      },
      {
        says: "toolMatcher set and not matching: the interceptor is skipped entirely, in tool.after too",
        drive: async (agent) => {
          await agent.result("x", { toolName: "read" });
          const none = agent.said();
          await agent.result("x", { toolName: "web_fetch" });
          return [none, agent.said()];
        },
        expect: [[], ["web results"]],
      },
      {
        says: "agentMatcher applies to message.before by agent ID, and toolMatcher does not",
        drive: async (agent) => {
          await agent.message("hi", { agentId: "coder" });
          const coder = agent.said();
          await agent.message("hi", { agentId: "writer" });
          return [coder, agent.said()];
        },
        expect: [
          ["coder", "all agents", "matcher of tools"],
          ["all agents", "matcher of tools"],
        ],
      },
      {
        says: "agentMatcher applies to params.before by agent ID",
        drive: async (agent) => {
          await agent.params({ agentId: "coder" });
          const coder = agent.said();
          await agent.params({ agentId: "coder2" });
          return [coder, agent.said()];
        },
        expect: [["coder's params", "all params"], ["all params"]],
      },
      {
        says: "a message of no agent in particular fits no agentMatcher of a name",
        drive: async (agent) => {
          await agent.message("hi");
          return agent.said();
        },
        expect: ["all agents", "matcher of tools"],
      },
    ],
  },
  {
    what: "priority and ordering",
    source: `${REGISTRY}
const says = (id: string, priority?: number, more?: object) =>
  registry.add({ id, name: "tool.before", priority, handler: () => console.log(id), ...more });
says("general 1");
says("logs", -10);
says("transforms", 50);
says("gate", 100, { handler: async (_input: unknown, output: any) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  console.log("gate");
  if (output.args.forbidden) output.block = true;
} });
says("general 2", 0);
says("above the gate", 101, { handler: (_input: unknown, output: any) => { console.log("above the gate"); output.args.trace = ["first"]; } });
says("allows", 1, { handler: (_input: unknown, output: any) => {
  console.log("allows");
  output.args.trace.push(output.block === true);
  if (output.args.excused) output.block = false;
} });
says("general 3");
`,
    grant: ALL,
    cases: [
      {
        says: "higher runs first, 0 is the default, and equals run in the order of their registration",
        drive: (agent) => reached(agent, "exec"),
        expect: ["above the gate", "gate", "transforms", "allows", "general 1", "general 2", "general 3", "logs"],
      },
      {
        says: "100+ are gates: they run before argument transformation, 10-99",
        drive: async (agent) => (await reached(agent, "exec")).slice(1, 3),
        expect: ["gate", "transforms"],
      },
      {
        says: "negative ones observe the final state: they run last",
        drive: async (agent) => (await reached(agent, "exec")).at(-1),
        expect: "logs",
      },
      {
        says: "they share one output: what one changed the next one sees",
        drive: (agent) => agent.call({}),
        expect: { input: { trace: ["first", false] } },
      },
      {
        says: "a block is not the end: later interceptors run, and see it",
        drive: async (agent) => [await agent.blocked({ forbidden: true }), agent.said().includes("logs")],
        expect: ["Blocked by interceptor", true],
      },
      {
        says: "and may unset it",
        drive: (agent) => agent.call({ forbidden: true, excused: true }),
        expect: { input: { forbidden: true, excused: true, trace: ["first", true] } },
      },
    ],
  },
  {
    what: "what throws",
    source: `${REGISTRY}
const throws = (id: string, name: string, priority: number) =>
  registry.add({ id, name, priority, handler: async (_input: unknown, output: any) => {
    if (priority < 0) { console.log(id, "runs after"); return; }
    if (output.result) output.result.content[0].text += " (seen)";
    if (output.message) output.message += " (seen)";
    throw new Error(id + " failed");
  } } as never);
for (const name of ["tool.before", "tool.after", "message.before", "params.before"]) {
  throws(name, name, 1);
  throws(name, name, -1);
}
`,
    grant: ALL,
    cases: [
      {
        says: "a throw in tool.before: the tool does not run, and no other interceptor does",
        drive: async (agent) => [
          await agent.use("bash", { command: "ls" }, () => ({ content: [] })),
          agent.said().filter((line) => line.startsWith("tool.before")),
        ],
        expect: [{ ran: undefined, told: ["Blocked by hook hook: tool.before failed"] }, []],
      },
      {
        says: "a throw in tool.after is reported, and the result is kept",
        drive: async (agent) => [await agent.result("real"), agent.said(), agent.errors()],
        expect: [
          { content: [text("real (seen)")] },
          ["tool.after runs after"],
          [{ code: "HOOK_THREW", error: "tool.after failed", event: "tool_result" }],
        ],
      },
      {
        says: "a throw in message.before is reported, and the message goes on",
        drive: async (agent) => [await agent.message("hi"), agent.errors()],
        expect: [{ text: "hi (seen)" }, [{ code: "HOOK_THREW", error: "message.before failed", event: "message" }]],
      },
      {
        says: "a throw in params.before is reported, and the parameters stay",
        drive: async (agent) => [await agent.params(), agent.errors()],
        expect: [undefined, [expect.objectContaining({ error: "params.before failed" })]],
      },
    ],
  },
];
