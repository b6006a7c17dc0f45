import { expect, test } from "vitest";
import { inHook, inPi, type Row } from "./pi-sides.ts";

const USAGE = "{ input: 900, output: 100, cacheRead: 0, cacheWrite: 0, totalTokens: 1000, cost: { total: 0 } }";
const MESSAGES = `[
  { role: "user", content: "do it", timestamp: 1 },
  { role: "assistant", content: [{ type: "text", text: "I will" }, { type: "toolCall", id: "1", name: "read", arguments: { path: "a.ts" } }], stopReason: "toolUse", usage: ${USAGE}, timestamp: 2 },
  { role: "toolResult", toolCallId: "1", toolName: "read", content: [{ type: "text", text: "${"x".repeat(2500)}" }], isError: false, timestamp: 3 },
  { role: "bashExecution", command: "ls", output: "a\\nb", exitCode: 1, cancelled: false, truncated: false, timestamp: 4 },
  { role: "custom", customType: "t", content: "c", timestamp: 5 },
  { role: "branchSummary", summary: "s", fromId: "x", timestamp: 6 },
]`;
const ENTRIES = `${MESSAGES}.map((message, at) => ({ type: "message", id: "e" + at, parentId: at === 0 ? null : "e" + (at - 1), timestamp: "2026-01-01T00:00:00.000Z", message }))`;
const THEME = `{ fg: (name, t) => name + "(" + t + ")", bg: (name, t) => name + "[" + t + "]", bold: (t) => "*" + t + "*" }`;

// biome-ignore format: a table
const ROWS: Row[] = [
  ["a terminal that can do little", "tui.setCapabilities({ images: null, trueColor: false, hyperlinks: false })"],
  ["the theme", `agent.initTheme("dark")`],
  ["frontmatter", `[agent.parseFrontmatter("---\\nname: x\\nlist: [1, 2]\\n---\\nbody"), agent.stripFrontmatter("---\\na: 1\\n---\\nbody"), agent.parseFrontmatter("none")]`],
  ["a conversation as a text", `agent.serializeConversation(agent.convertToLlm(${MESSAGES}))`],
  ["messages for a model", `agent.convertToLlm(${MESSAGES})`],
  ["tokens", `[${MESSAGES}.map(agent.estimateTokens), agent.calculateContextTokens(${USAGE}), agent.shouldCompact(90000, 100000, agent.DEFAULT_COMPACTION_SETTINGS), agent.getLastAssistantUsage(${ENTRIES})]`],
  ["where a session is cut", `[agent.findCutPoint(${ENTRIES}, 0, 6, 20), agent.findTurnStartIndex(${ENTRIES}, 3, 0), agent.prepareBranchEntries(${ENTRIES}, 1000)]`],
  ["a session's context", `[agent.buildSessionContext(${ENTRIES}), agent.getLatestCompactionEntry(${ENTRIES}), agent.CURRENT_SESSION_VERSION]`],
  ["a session's text", `agent.parseSessionEntries(JSON.stringify({ type: "session", id: "s" }) + "\\n{broken\\n" + JSON.stringify({ type: "custom" }))`],
  ["a session in memory", `(() => { const session = agent.SessionManager.inMemory("/w"); session.appendMessage({ role: "user", content: "hi", timestamp: 1 }); session.appendCustomEntry("t", { a: 1 }); return session.getEntries().map(({ type, message, data }) => ({ type, message, data })); })()`],
  ["differences", `[agent.generateDiffString("a\\nb\\nc\\n", "a\\nB\\nc\\nd\\n"), agent.generateUnifiedPatch("f.ts", "a\\nb\\n", "a\\nc\\n")]`],
  ["differences, shown", `agent.renderDiff(agent.generateDiffString("a\\nb\\nc\\n", "a\\nB\\nc\\nd\\n").diff)`],
  ["cut lines", `[agent.truncateLine("x".repeat(600)), agent.truncateLine("short", 3), agent.formatSize(2048)]`],
  ["tool calls and results", `[agent.isToolCallEventType("bash", { toolName: "bash" }), agent.isBashToolResult({ toolName: "read" }), agent.isReadToolResult({ toolName: "read" }), agent.isPowerShellToolResult({ toolName: "powershell" }), agent.defineTool({ name: "x" })]`],
  ["an agent's tool from a definition", `agent.wrapRegisteredTool({ definition: { name: "x", execute: async (id, params, signal, update, ctx) => [id, params, ctx] } }, { createContext: () => "ctx" }).execute("1", { a: 1 })`],
  ["skills for a prompt", `agent.formatSkillsForPrompt([{ name: "s", description: "d <b>", filePath: "/s/SKILL.md", baseDir: "/s", disableModelInvocation: false }])`],
  ["where something is from", `agent.createSyntheticSourceInfo("<sdk:x>", { source: "sdk" })`],
  ["settings in memory", `(() => { const settings = agent.SettingsManager.inMemory({ defaultModel: "m", theme: "light" }); return [settings.getDefaultModel(), settings.getTheme(), settings.getCompactionSettings()]; })()`],
  ["themes", `(() => { const theme = agent.getMarkdownTheme(); const list = agent.getSelectListTheme(); const settings = agent.getSettingsListTheme(); return [theme.heading("h"), theme.bold("b"), list.selectedText("s"), settings.label("l", true)]; })()`],
  ["code in colours", `agent.highlightCode("const a: number = 1; // one", "typescript")`],
  ["markdown in colours", `new tui.Markdown("# a\\n\\n\`\`\`js\\nlet b = 1;\\n\`\`\`\\n- *c*", 1, 0, agent.getMarkdownTheme()).render(30)`],
  ["languages", `["a.ts", "b.py", "Makefile", "c.unknown"].map(agent.getLanguageFromPath)`],
  ["borders", `[new agent.DynamicBorder((t) => "<" + t + ">").render(5), new agent.DynamicBorder().render(3)]`],
  ["a loader in borders", `(() => { const loader = new agent.BorderedLoader({ requestRender() {} }, ${THEME}, "wait"); const lines = loader.render(30); loader.handleInput("\\u001b"); loader.dispose(); return [lines, loader.signal.aborted]; })()`],
  ["hints of keys", `[agent.keyHint("tui.select.cancel", "leave"), agent.rawKeyHint("ctrl+x", "cut"), agent.keyText("tui.select.up")]`],
  ["messages, shown", `[new agent.UserMessageComponent("hello *you*").render(30), new agent.AssistantMessageComponent({ role: "assistant", content: [{ type: "text", text: "hi" }, { type: "thinking", thinking: "hm" }], stopReason: "stop" }).render(30)]`],
  ["summaries, shown", `[new agent.BranchSummaryMessageComponent({ role: "branchSummary", summary: "s", fromId: "x", timestamp: 1 }).render(40), new agent.CompactionSummaryMessageComponent({ role: "compactionSummary", summary: "s", tokensBefore: 1000, timestamp: 1 }).render(40)]`],
  ["visual lines", `agent.truncateToVisualLines("a\\nb\\nc\\nd", 2, 20)`],
  ["an event bus", `(() => { const said = []; const bus = agent.createEventBus(); const off = bus.on("x", (data) => said.push(data)); bus.emit("x", 1); off(); bus.emit("x", 2); return said; })()`],
  ["arguments of tools", `[ai.validateToolArguments({ name: "t", description: "", parameters: ai.Type.Object({ a: ai.Type.Number(), b: ai.Type.Optional(ai.StringEnum(["x", "y"])) }) }, { type: "toolCall", id: "1", name: "t", arguments: { a: "5", b: "x" } })]`],
  ["a message that is too long", `[ai.isContextOverflow({ role: "assistant", content: [], stopReason: "error", errorMessage: "prompt is too long: 210000 tokens > 200000 maximum" }, 200000), ai.isRetryableAssistantError({ role: "assistant", content: [], stopReason: "error", errorMessage: "overloaded" })]`],
  ["texts of messages", `[ai.contentText([{ type: "text", text: "a" }, { type: "text", text: "b" }]), ai.getCurrentSystemPrompt([{ role: "system", content: "s" }]), ai.normalizeContext({ systemPrompt: "p", messages: [], tools: [] })]`],
  ["costs", `ai.calculateCost({ cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } }, ${USAGE.replace("cost: { total: 0 }", "cost: {}")})`],
  ["broken JSON", `[ai.parseStreamingJson('{"a": [1, 2'), ai.parseJsonWithRepair('{"a": "x\\ny"}')]`],
  ["a stream of events", `(async () => { const stream = ai.createAssistantMessageEventStream(); stream.push({ type: "start" }); stream.push({ type: "done", message: { a: 1 } }); const seen = []; for await (const event of stream) seen.push(event.type); return [seen, await stream.result()]; })()`],
];

test("helpers of pi-coding-agent and pi-ai do in a hook what they do in pi", async () => {
  const expected = await inPi(ROWS);
  expect(Object.entries(expected).filter(([, value]) => value?.includes('"error":'))).toEqual([]);
  expect(await inHook(ROWS)).toEqual(expected);
});

test("a wrong argument of a tool is refused in the same words", async () => {
  const rows: Row[] = [
    [
      "a wrong argument",
      `(() => { try { return ai.validateToolArguments({ name: "t", description: "", parameters: ai.Type.Object({ a: ai.Type.Number() }) }, { type: "toolCall", id: "1", name: "t", arguments: { a: "no" } }); } catch (error) { return error.message; } })()`,
    ],
  ];
  expect(await inHook(rows)).toEqual(await inPi(rows));
});

const LACKING: [expression: string, why: string][] = [
  [
    "agent.createAgentSessionRuntime()",
    "createAgentSessionRuntime of @earendil-works/pi-coding-agent is not offered to hooks: it is the agent",
  ],
  ["agent.readStoredCredential()", "keys and providers stay with the agent"],
  ["agent.copyToClipboard('x')", "the clipboard is the person's"],
  ["new agent.ProjectTrustStore()", "what a person trusts"],
];

test.each(LACKING)("%s says why it is not there", async (expression, why) => {
  const rows: Row[] = [
    ["lacking", `(() => { try { return ${expression}; } catch (error) { return error.message; } })()`],
  ];
  expect((await inHook(rows)).lacking).toContain(why);
});
