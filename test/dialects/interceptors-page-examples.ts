import { call, each, exchange, type Fixture, REGISTRY, result, said, text, use } from "./interceptors-agent.ts";

const SECRET = "sk-abcdefghijklmnopqrstuvwx";
const exchanged = (message: string, complexity: string, thinkLevel: string) => ({
  message,
  metadata: { complexity },
  thinkLevel,
  reasoningLevel: "off",
});
const found = (toolName: string, details: object) => result("found", { toolName, details });

/** The page's code, each written anew from what the page says it is for. */
// biome-ignore format: a table
export const EXAMPLES: Fixture[] = [
  {
    about: "a registration, typed by InterceptorRegistration",
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
    rows: [
      ["its type vanishes from what runs, and its export says what it is", call("ls"),
        { input: { command: "ls", timeout: 5 } }],
      ["its toolMatcher filters on the tool's name", call("ls", "write"), undefined],
    ],
  },
  {
    about: "a classifier and a think adjuster that talk through the metadata",
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
    rows: [
      ["a message that asks for debugging is thought about with level high", exchange("please debug this"),
        exchanged("please debug this", "high", "high")],
      ["so is one of more than 500 characters", exchange("a".repeat(501)), exchanged("a".repeat(501), "high", "high")],
      ["a short one keeps the level it had", exchange("hello"), exchanged("hello", "low", "low")],
    ],
  },
  {
    about: "the registry, fetched anywhere with a guard for a gateway that has not started",
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
    rows: [
      ["inside a hook the gateway has started", said(call("ls")), ["found it"]],
    ],
  },
  {
    about: "redacting keys, and removing that again",
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
    rows: [
      ["API keys in a tool's output become sk-***", result(`the key is ${SECRET}, twice: ${SECRET}`),
        { content: [text("the key is sk-***, twice: sk-***")] }],
      ["a shorter sk- is no key", result("sk-short"), undefined],
      ["a result without any text has no output to redact",
        result([{ type: "image", data: "AAAA", mimeType: "image/png" }]), undefined],
      ["removed by its id, it redacts no more", each(call("stop redacting"), result(SECRET)), [undefined, undefined]],
    ],
  },
  {
    about: "blocking rm -rf",
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
    rows: [
      ["exec does not run rm -rf", call("rm -rf build"),
        { block: true, reason: "rm -rf is not allowed", hook: "hook" }],
      ["other commands run", call("ls -l"), undefined],
      ["a command that is no text is left alone", call({ command: 5 }), undefined],
      ["other tools are not asked about", call("rm -rf x", "write"), undefined],
      ["the tool does not run, and the agent is told the reason", use("rm -rf ."),
        { ran: undefined, told: ["Blocked by hook hook: rm -rf is not allowed"] }],
    ],
  },
  {
    about: "injecting a default argument",
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
    rows: [
      ["--color=never is added to exec commands", use({ command: "ls", timeout: 3 }, "bash", () => [text("a b")]),
        { ran: { command: "ls --color=never", timeout: 3 }, told: ["a b"] }],
      ["a command that says something of colour stays as it is", call("ls --color=auto"), undefined],
    ],
  },
  {
    about: "logging every tool call",
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
    rows: [
      ["the log shows tool, call and arguments, after all mutations",
        said(call({ path: "a" }, "read", "call-7"), call("ls", "Bash", "call-8")),
        ['[audit] read call-7 {"path":"a","seen":true}', '[audit] exec call-8 {"command":"ls","seen":true}']],
    ],
  },
  {
    about: "stripping ANSI codes",
    source: `${REGISTRY}
registry.add({
  id: "clean:strip-ansi",
  name: "tool.after",
  handler: (_input, output) => {
    const { result } = output;
    if (typeof result.output === "string")
      output.result = { ...result, output: result.output.replace(/\\x1b\\[[0-9;]*m/g, "") };
  },
});
`,
    grant: { rewriteResult: ["*"] },
    rows: [
      ["escape codes go from every tool's output", use({}, "grep", () => [text("\u001b[1;31mred\u001b[0m and plain")]),
        { ran: {}, told: ["[Changed by hook hook]", "red and plain"] }],
    ],
  },
  {
    about: "an async interceptor that enriches a web search",
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
    rows: [
      ["the result waits for it and has what it fetched", found("web_search", { url: "https://a.example/x" }),
        { details: { url: "https://a.example/x", meta: { title: "About a.example" } } }],
      ["details without a url stay", found("web_search", { rank: 1 }), undefined],
      ["another tool's result is not for it", found("web_fetch", { url: "https://a.example/x" }), undefined],
    ],
  },
];
