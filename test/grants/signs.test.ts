import { join } from "node:path";
import { expect, test } from "vitest";
import { buildHook } from "../../src/bundle/build.ts";
import { powersIn } from "../../src/grants/signs.ts";
import { hookFolder } from "../bundle/hook-folder.ts";

const SEEN: [code: string, powers: string[]][] = [
  ['await ctx.exec("git", ["status"]);', ["exec"]],
  ['import { spawn } from "node:child_process";', ["exec"]],
  ['import fs from "fs/promises";', ["fs"]],
  ["await fetch (url);", ["net"]],
  ['import { connect } from "node:net";', ["net"]],
  ["const socket = new WebSocket(url);", ["net"]],
  ['import { DatabaseSync } from "node:sqlite";', ["sqlite"]],
  ['import sqlite from "sqlite";', []],
  ["process.env.TOKEN", ["env"]],
  ['pi.send("x");', ["send"]],
  ["event.messages.length", ["session"]],
  ["const { resolveApiKey } = event;", ["model"]],
  ['ctx.ui.notify("x");', ["ui"]],
  ['({ requireApproval: { title: "x", description: "y" } });', ["ui"]],
  ['event.input.command = "ls";', ["events.rewriteInput"]],
  ['event.input["command"] = "ls";', ["events.rewriteInput"]],
  ['on("before_tool_call", () => ({ a: 1, params }));', ["events.rewriteInput"]],
  ['api.on("before_tool_call", () => {\n  return {\n    params: {} };\n});', ["events.rewriteInput"]],
  ['pi.on("tool_result", () => { return { content: [] }; });', ["events.rewriteResult"]],
  ["output.result.text.value = 1;", ["events.rewriteResult"]],
  ['output.message += "x";', ["events.rewriteMessage"]],
  ["metadata.level = 1;", ["events.rewriteParams"]],
  ["return { compactionEntry };", ["events.compact"]],
  ["return { compaction: { summary } };", ["events.compact"]],
  ['pi.sendMessage({ customType: "x" });', ["send"]],
  ["ctx.sessionManager.getBranch()", ["session"]],
  ['pi.appendEntry("x", {});', ["agent"]],
  ["ctx.shutdown();", ["agent"]],
  ["pi.registerTool({});", ["tools"]],
  ["api.registerTool({});", ["tools"]],
  ["await createAgentSession({});", ["agents"]],
  ['pi.registerProvider("x", {});', ["providers"]],
  ['await ctx.executeTool("read", {});', ["calls"]],
  ['pi.events.emit("x", 1);', ["bus"]],
  ['pi.registerShortcut("x", {});', ["commands"]],
  ['pi.on("project_trust", () => {});', ["events.trustProject"]],
  ['pi.on("before_agent_start", () => { return { systemPrompt: "x" }; });', ["events.rewritePrompt"]],
  ['pi.on("context", () => { return 1; });', ["events.rewriteContext"]],
  ['return { action: "handled" };', ["events.rewriteUserInput"]],
  ["event.input.command === 1; output.message == 2; metadata.level === 3;", []],
  ['return { params: {} }; on("before_tool_call");', []],
  ['on("before_tool_call", () => { return { reason: params.command, a: [params] }; });', []],
];

test.each(SEEN)("%s seems to use %j", (code, powers) => {
  expect(powersIn(code)).toEqual(powers);
});

/** Repeated parts of the searched patterns: each could start a match. */
const FLOODS = [
  "before_tool_call ",
  "before_tool_call return{",
  "before_tool_call return{ params",
  "before_tool_call =>({ , params ",
  "tool_result return { ",
  "tool_result ",
  "event.input[",
  "output.args[x",
  "output.result.",
  "event.result.a.a.a.a.a.a",
  "metadata[",
  "metadata.a",
  "output.thinkLevel ",
  "fetch ",
  "exec ( ",
  "ctx.exec ",
  "complete ",
  "selectedTool ",
  "return { ",
  "return{ params ",
];

// The search is part of the build: a build that takes longer than ten seconds fails.
test.each(FLOODS)("500 KB of %j are searched within the build's time limit", async (part) => {
  const text = part.repeat(Math.ceil(500_000 / part.length));
  const spaces = " ".repeat(500_000);
  const folder = hookFolder({
    "index.ts": `/* ${text} */\n/* ${part}${spaces} */\n// ${part}${"a".repeat(500_000)}\nexport default () => {};\n`,
  });
  const { uses } = await buildHook(process.execPath, { root: join(folder, "hook"), entry: "index.ts" });
  expect(Array.isArray(uses)).toBe(true);
});
