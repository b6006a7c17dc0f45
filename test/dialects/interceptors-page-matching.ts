import { expect } from "vitest";
import {
  ALL,
  call,
  each,
  type Fixture,
  message,
  params,
  REGISTRY,
  type Row,
  refusal,
  reported,
  result,
  said,
  text,
  use,
} from "./interceptors-agent.ts";

/** The page's table of canonical names, row by row. */
// biome-ignore format: a table
const TOOL_NAMES: Record<string, string[]> = {
  "File system (group:fs)": ["read", "write", "edit", "apply_patch"],
  "Runtime (group:runtime)": ["exec", "process"],
  "Memory (group:memory)": ["memory_search", "memory_get"],
  "Web (group:web)": ["web_search", "web_fetch"],
  "Sessions (group:sessions)": ["sessions_list", "sessions_history", "sessions_send", "sessions_spawn",
    "session_status"],
  "UI (group:ui)": ["browser", "canvas"],
  "Automation (group:automation)": ["cron", "gateway"],
  "Messaging (group:messaging)": ["message"],
  "Nodes (group:nodes)": ["nodes"],
  Other: ["agents_list", "image", "tts"],
};
const ALL_NAMES = Object.values(TOOL_NAMES).flat();

/** Which of the hook's registrations a call of this tool reaches. */
const reached = (tool: string) => said(call({}, tool));
const EVERY_TOOL = ["catch-all", "no matcher", "matcher of agents"];
const ALWAYS = ["catch-all", "no matcher", "global", "sticky", "matcher of agents"];

// biome-ignore format: a table
export const MATCHING: Fixture[] = [
  {
    about: "the canonical tool names",
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
    rows: [
      ["KNOWN_TOOL_NAMES is the full set of 24", ({ loading }) => loading[0]?.split(" ").sort(), [...ALL_NAMES].sort()],
      ...Object.entries(TOOL_NAMES).map(([group, names]): Row => [`canonical names, ${group}: ${names.join(", ")}`,
        each(...names.map((name) => refusal({}, name))), names]),
      ...Object.entries({ bash: "exec", "apply-patch": "apply_patch", " Bash\n": "exec", READ: "read",
        "APPLY-PATCH": "apply_patch" }).map(([name, canonical]): Row =>
        [`${JSON.stringify(name)} is normalized to ${canonical}`, refusal({}, name), canonical]),
      ["a tool that no matcher fits is not blocked", refusal({}, "my_plugin_tool"), undefined],
    ],
  },
  {
    about: "toolMatcher and agentMatcher",
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
    rows: [
      ["/^exec$/ matches only exec", reached("exec"), ["exec only", ...EVERY_TOOL]],
      ["the matcher is tested against the normalized tool name", reached("bash"), ["exec only", ...EVERY_TOOL]],
      ["/^web/ matches any tool starting with web", each(reached("web_search"), reached("web_fetch")),
        Array(2).fill(["any that starts with web", ...EVERY_TOOL])],
      ["/^(read|write)$/ matches read or write", each(reached("read"), reached("write")),
        Array(2).fill(["read or write", ...EVERY_TOOL])],
      ["plugin-provided tools can be intercepted by a catch-all regex or without toolMatcher", reached("plugin_tool"),
        EVERY_TOOL],
      ["a matcher with g or y answers the same each time", each(reached("edit"), reached("edit"), reached("edit")),
        Array(3).fill(ALWAYS)],
      ["toolMatcher set and not matching: the interceptor is skipped, in tool.after too",
        each(said(result("x", { toolName: "read" })), said(result("x", { toolName: "web_fetch" }))),
        [[], ["web results"]]],
      ["agentMatcher applies to message.before by agent ID, and toolMatcher does not",
        each(said(message("hi", { agentId: "coder" })), said(message("hi", { agentId: "writer" }))),
        [["coder", "all agents", "matcher of tools"], ["all agents", "matcher of tools"]]],
      ["agentMatcher applies to params.before by agent ID",
        each(said(params({ agentId: "coder" })), said(params({ agentId: "coder2" }))),
        [["coder's params", "all params"], ["all params"]]],
      ["a message of no agent in particular fits no agentMatcher of a name", said(message("hi")),
        ["all agents", "matcher of tools"]],
    ],
  },
  {
    about: "priority and ordering",
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
    rows: [
      ["higher ones run first: gates (100+), transformations (10-99), the default 0 by registration, and negative ones last",
        reached("exec"),
        ["above the gate", "gate", "transforms", "allows", "general 1", "general 2", "general 3", "logs"]],
      ["they share one output: what one changed the next one sees", call({}), { input: { trace: ["first", false] } }],
      ["a block is not the end: later interceptors run", each(refusal({ forbidden: true }), said()),
        ["Blocked by interceptor", expect.arrayContaining(["logs"])]],
      ["later interceptors see the block, and may unset it", call({ forbidden: true, excused: true }),
        { input: { forbidden: true, excused: true, trace: ["first", true] } }],
    ],
  },
  {
    about: "what throws",
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
    rows: [
      ["a throw in tool.before: the tool does not run, and no other interceptor does", each(use("ls"), said()),
        [{ ran: undefined, told: ["Blocked by hook hook: tool.before failed"] }, []]],
      ["a throw in tool.after is reported, and the others run and the result is kept",
        each(reported(result("real")), said()),
        [[{ content: [text("real (seen)")] },
            [{ code: "HOOK_THREW", error: "tool.after failed", event: "tool_result" }]], ["tool.after runs after"]]],
      ["a throw in message.before is reported, and the message goes on", reported(message("hi")),
        [{ text: "hi (seen)" }, [{ code: "HOOK_THREW", error: "message.before failed", event: "message" }]]],
      ["a throw in params.before is reported, and the parameters stay", reported(params()),
        [undefined, [expect.objectContaining({ error: "params.before failed" })]]],
    ],
  },
];
