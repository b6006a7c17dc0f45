import { type Fixture, REGISTRY, registered, text } from "./interceptors-agent.ts";

const secret = "sk-abcdefghijklmnopqrstuvwx";

/** The page's code, each written anew from what the page says it is for. */
export const EXAMPLES: Fixture[] = [
  {
    what: "a registration, typed by InterceptorRegistration",
    source: `import type { InterceptorRegistration } from "../interceptors/index.js";
const gate: InterceptorRegistration<"tool.before"> = {
  id: "adds-a-timeout",
  name: "tool.before",
  priority: 10,
  toolMatcher: /^exec$/,
  agentMatcher: /^coder$/,
  handler: (input, output) => {
    output.args.timeout = 5;
  },
};
export default gate;
`,
    grant: { rewriteInput: ["bash"] },
    cases: [
      {
        says: "its type vanishes from what runs, and what is exported says what it is",
        drive: (agent) => agent.call("ls"),
        expect: { input: { command: "ls", timeout: 5 } },
      },
      {
        says: "its toolMatcher filters on the tool's name",
        drive: (agent) => agent.call("ls", "write"),
        expect: undefined,
      },
    ],
  },
  {
    what: "a classifier and a think adjuster that talk through the metadata",
    source: `${REGISTRY}
registry.add({
  id: "sizes-up-the-question",
  name: "message.before",
  handler: (_input, output) => {
    const hard = output.message.length > 500 || /debug/.test(output.message);
    output.metadata.complexity = hard ? "high" : "low";
  },
});
registry.add({
  id: "thinks-harder",
  name: "params.before",
  handler: (input, output) => {
    if (input.metadata.complexity === "high") output.thinkLevel = "high";
  },
});
`,
    grant: { rewriteParams: true },
    cases: [
      {
        says: "a message that asks for debugging is thought about with level high",
        drive: (agent) => agent.exchange("please debug this"),
        expect: exchanged("please debug this", "high", "high"),
      },
      {
        says: "so is one of more than 500 characters",
        drive: (agent) => agent.exchange("a".repeat(501)),
        expect: exchanged("a".repeat(501), "high", "high"),
      },
      {
        says: "a short one keeps the level it had",
        drive: (agent) => agent.exchange("hello"),
        expect: exchanged("hello", "low", "low"),
      },
    ],
  },
  {
    what: "the registry, fetched anywhere with a guard for a gateway that has not started",
    source: `import { getGlobalInterceptorRegistry } from "../interceptors/global.js";
export default function () {
  const registry = getGlobalInterceptorRegistry();
  if (!registry) {
    console.log("not initialised");
    return;
  }
  registry.add({ id: "greets", name: "tool.before", handler: () => console.log("found it") });
}
`,
    cases: [
      {
        says: "inside a hook the gateway has started",
        drive: async (agent) => {
          await agent.call("ls");
          return agent.said();
        },
        expect: ["found it"],
      },
    ],
  },
  {
    what: "redacting keys, and removing that again",
    source: `${REGISTRY}
registry.add({
  id: "my-plugin:redact-secrets",
  name: "tool.after",
  priority: 5,
  handler: (_input, output) => {
    const { output: shown } = output.result;
    if (typeof shown !== "string") return;
    output.result = { ...output.result, output: shown.replace(/sk-[a-zA-Z0-9]{20,}/g, "sk-***") };
  },
});
registry.add({
  id: "off-switch",
  name: "tool.before",
  handler: (_input, output) => {
    if (output.args.command === "stop redacting") registry.remove("my-plugin:redact-secrets");
  },
});
`,
    grant: { rewriteResult: ["*"] },
    cases: [
      {
        says: "keys of an API in a tool's output become sk-***",
        drive: (agent) => agent.result(`the key is ${secret}, twice: ${secret}`),
        expect: { content: [text("the key is sk-***, twice: sk-***")] },
      },
      { says: "a shorter sk- is no key", drive: (agent) => agent.result("sk-short"), expect: undefined },
      {
        says: "a result without any text has no output to redact",
        drive: (agent) => agent.result([{ type: "image", data: "AAAA", mimeType: "image/png" }]),
        expect: undefined,
      },
      {
        says: "removed by its id, it redacts no more",
        drive: async (agent) => {
          await agent.call("stop redacting");
          return agent.result(secret);
        },
        expect: undefined,
      },
    ],
  },
  {
    what: "blocking rm -rf",
    source: `${REGISTRY}
registry.add({
  id: "safety:no-rm-rf",
  name: "tool.before",
  priority: 100,
  toolMatcher: /^exec$/,
  handler: (_input, output) => {
    const { command } = output.args;
    if (typeof command === "string" && command.includes("rm -rf")) {
      output.block = true;
      output.blockReason = "rm -rf is not allowed";
    }
  },
});
`,
    cases: [
      {
        says: "exec is prevented from running rm -rf",
        drive: (agent) => agent.call("rm -rf build"),
        expect: { block: true, reason: "rm -rf is not allowed", hook: "hook" },
      },
      { says: "other commands run", drive: (agent) => agent.call("ls -l"), expect: undefined },
      {
        says: "a command that is no text is left alone",
        drive: (agent) => agent.call({ command: 5 }),
        expect: undefined,
      },
      { says: "other tools are not asked about", drive: (agent) => agent.call("rm -rf x", "write"), expect: undefined },
      {
        says: "the tool does not run, and the agent is told the reason",
        drive: (agent) => agent.use("bash", { command: "rm -rf ." }, () => ({ content: [] })),
        expect: { ran: undefined, told: ["Blocked by hook hook: rm -rf is not allowed"] },
      },
    ],
  },
  {
    what: "injecting a default argument",
    source: `${REGISTRY}
registry.add({
  id: "style:no-color",
  name: "tool.before",
  toolMatcher: /^exec$/,
  handler: (_input, output) => {
    const command = String(output.args.command ?? "");
    if (!command.includes("--color")) output.args = { ...output.args, command: command + " --color=never" };
  },
});
`,
    grant: { rewriteInput: ["bash"] },
    cases: [
      {
        says: "--color=never is always added to exec commands",
        drive: (agent) => agent.use("bash", { command: "ls", timeout: 3 }, () => ({ content: [text("a b")] })),
        expect: { ran: { command: "ls --color=never", timeout: 3 }, told: ["a b"] },
      },
      {
        says: "a command that says something of colour stays as it is",
        drive: (agent) => agent.call("ls --color=auto"),
        expect: undefined,
      },
    ],
  },
  {
    what: "logging every tool call",
    source: `${REGISTRY}
registry.add({
  id: "audit:log-tools",
  name: "tool.before",
  priority: -10,
  handler: (input, output) => console.log("[audit]", input.toolName, input.toolCallId, JSON.stringify(output.args)),
});
registry.add({ id: "changes", name: "tool.before", handler: (_input, output) => { output.args.seen = true; } });
`,
    grant: { rewriteInput: ["*"] },
    cases: [
      {
        says: "the log shows tool, call and arguments, after all mutations",
        drive: async (agent) => {
          await agent.call({ path: "a" }, "read", "call-7");
          await agent.call("ls", "Bash", "call-8");
          return agent.said();
        },
        expect: ['[audit] read call-7 {"path":"a","seen":true}', '[audit] exec call-8 {"command":"ls","seen":true}'],
      },
    ],
  },
  {
    what: "stripping ANSI codes",
    source: registered(`
  id: "clean:strip-ansi",
  name: "tool.after",
  handler: (_input, output) => {
    const { result } = output;
    if (typeof result.output === "string")
      output.result = { ...result, output: result.output.replace(/\\x1b\\[[0-9;]*m/g, "") };
  },
`),
    grant: { rewriteResult: ["*"] },
    cases: [
      {
        says: "escape codes go from every tool's output",
        drive: (agent) => agent.use("grep", {}, () => ({ content: [text("\u001b[1;31mred\u001b[0m and plain")] })),
        expect: { ran: {}, told: ["[Changed by hook hook]", "red and plain"] },
      },
    ],
  },
  {
    what: "an async interceptor that enriches a web search",
    source: `${REGISTRY}
const fetchPageMetadata = async (url: string) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return { title: "About " + new URL(url).hostname };
};
registry.add({
  id: "enrich:fetch-metadata",
  name: "tool.after",
  toolMatcher: /^web_search$/,
  handler: async (_input, output) => {
    const details = output.result.details as Record<string, unknown> | undefined;
    if (!details?.url) return;
    const meta = await fetchPageMetadata(String(details.url));
    output.result = { ...output.result, details: { ...details, meta } };
  },
});
`,
    grant: { rewriteResult: ["web_search"] },
    cases: [
      {
        says: "the result waits for it and has what it fetched",
        drive: (agent) => agent.result("found", { toolName: "web_search", details: { url: "https://a.example/x" } }),
        expect: { details: { url: "https://a.example/x", meta: { title: "About a.example" } } },
      },
      {
        says: "details without a url stay",
        drive: (agent) => agent.result("found", { toolName: "web_search", details: { rank: 1 } }),
        expect: undefined,
      },
      {
        says: "another tool's result is not for it",
        drive: (agent) => agent.result("found", { toolName: "web_fetch", details: { url: "https://a.example/x" } }),
        expect: undefined,
      },
    ],
  },
];

function exchanged(message: string, complexity: string, thinkLevel: string) {
  return { message, metadata: { complexity }, thinkLevel, reasoningLevel: "off" };
}
