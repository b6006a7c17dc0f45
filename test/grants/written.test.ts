import { expect, test } from "vitest";
import { writtenIn } from "../../src/grants/written.ts";

const events = (rights: object) => ({ events: { see: [], ...rights } });

// biome-ignore format: a table
const WRITTEN: [source: string, grant: object][] = [
  ['pi.on("session_before_switch", () => ({ cancel: true }));', events({ cancel: true })],
  ["pi.on('session_before_fork', check); function check() { return { cancel }; }", events({ cancel: true })],
  ['pi.on("session_start", () => ({ cancel: true }));', {}],
  ['pi.on("session_before_compact", () => { return { compaction: { summary } }; });', events({ compact: true })],
  ['pi.on("session_before_tree", () => { return { summary: { summary: "x" } }; });', events({ compact: true })],
  ['pi.on("project_trust", () => ({ trusted: "yes" }));', events({ trustProject: true })],
  ['pi.on("before_agent_start", (event) => ({ systemPrompt: `${event.systemPrompt} more` }));', { ...events({ rewritePrompt: true }), session: ["messages"] }],
  ['pi.on("before_agent_start", () => { return { message: { customType: "x", content: "y" } }; });', events({ rewritePrompt: true })],
  ['pi.on("before_agent_start", (event) => { log(event.systemPrompt); });', { session: ["messages"] }],
  ['pi.on("resources_discover", () => ({ skillPaths: [] }));', events({ rewritePrompt: true })],
  ['pi.on("context", (event) => { return { messages: event.messages.slice(1) }; });', events({ rewriteContext: true })],
  ['pi.on("context", (event) => { event.messages.splice(0, 1); });', events({ rewriteContext: true })],
  ['pi.on("context", (event) => { seen = event.messages.length; });', {}],
  ['pi.on("before_provider_request", (event) => { return { ...event.payload, top: 1 }; });', events({ rewriteContext: true })],
  ['pi.on("before_provider_request", (event) => { log(event.payload); });', {}],
  ['pi.on("input", () => ({ action: "transform", text: "x" }));', events({ rewriteUserInput: true })],
  ['pi.on("input", () => ({ action: "continue" }));', {}],
  ['pi.on("tool_result", () => { return { content: [] }; });', events({ rewriteResult: ["*"] })],
  ['pi.on("tool_result", (event) => { if (event.toolName === "bash") return { content: [] }; });', events({ rewriteResult: ["bash"] })],
  ['pi.on("tool_result", () => { count += 1; });', {}],
  ['pi.on("tool_call", (event) => { if (isToolCallEventType("bash", event)) event.input.command = "ls"; });', events({ rewriteInput: ["bash"] })],
  ['pi.on("agent_end", (event) => last(event.messages));', { session: ["messages"] }],
  ['pi.on("turn_end", (event) => last(event.messages));', {}],
  ['ctx.ui.notify("x"); await this.ui.confirm("a", "b"); uiCtx.input("c");', { ui: ["notify", "confirm", "input"] }],
  ['api.on("before_tool_call", () => ({ requireApproval: { title: "a", description: "b" } }));', { ui: ["confirm"] }],
  ["form.input(1); element.select(2); list.confirm();", {}],
  ['ctx.ui.setStatus("a", "b"); ctx.ui.setFooter(() => footer);', { ui: ["show", "draw"] }],
  ['ctx.ui.setWidget("a", (tui) => lines);', { ui: ["show", "draw"] }],
  ["ctx.ui.custom<{ a: string; b?: (c: string) => void } | null>((tui) => list)", { ui: ["draw"] }],
  ["ui.custom<{ a: string; b: number }>(list)", { ui: ["draw"] }],
  ["ui.custom<(a: string) => void>(list)", { ui: ["draw"] }],
  ["ctx.ui.custom<string | null>((tui) => list); ctx.ui.select?.(a, b);", { ui: ["select", "draw"] }],
  ["ctx.ui.onTerminalInput(hear); ctx.ui.getEditorText();", { ui: ["editor", "typing"] }],
  ['pi.setModel(model); pi.appendEntry("x"); pi.getActiveTools();', { agent: ["appendEntry", "setModel", "activeTools"] }],
  ["ctx.abort(); ctx.modelRegistry.getAvailable();", { agent: ["abort", "models"] }],
  ["modelRuntime.getModels(); resolveCliModel({ cliModel });", { agent: ["models"] }],
  ["controller.abort(); child_process.fork(); location.reload();", {}],
  ['pi.sendUserMessage("x");', { send: { perMinute: 6 } }],
  ['pi.send("x");', { send: { perMinute: 6 } }],
  ['response.send("x");', {}],
  // What a place, a program or a variable is, only trying shows.
  ['fetch("https://example.com"); process.env.TOKEN; readFileSync("/etc/passwd"); pi.exec("sh", ["-c", "ls"]);', {}],
];

test.each(WRITTEN)("%s", (source, grant) => {
  expect(writtenIn(source)).toEqual(grant);
});

/** Parts of the searched patterns: each could start a match. */
const FLOODS = [
  "ui.custom<",
  "return{",
  "return { ",
  'on("context"',
  'on("tool_result"',
  "message: {",
  "a.setWidget(",
  "ui.",
  "toolName ",
  "event.input[",
];

test("it searches a megabyte of repeated parts in little time", () => {
  const began = process.cpuUsage();
  for (const part of FLOODS) writtenIn(`on("before_agent_start" on("input" ${part.repeat(1_000_000 / part.length)}`);
  expect(process.cpuUsage(began).user / 1e6 / FLOODS.length).toBeLessThan(1);
});
