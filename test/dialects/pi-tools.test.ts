import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needsTime } from "../support/needs.ts";
import { onToolCall, startSession } from "../support/session.ts";

const IMPORT = `import * as agent from "@earendil-works/pi-coding-agent"; import * as ai from "@earendil-works/pi-ai";`;

const BASH = { program: "bash", args: ["-c", { kind: "text" }], fullAccess: true };

/** What an expression with pi's tools is, in a hook with these powers; what it throws, as `{ error }`. */
async function tools(expression: string, powers: object, options: object = {}) {
  const session = await startSession(
    {
      gate: {
        source: onToolCall(
          `const cwd = ctx.cwd; const say = (result: any) => result.content.map((one: any) => one.text ?? one.mimeType).join("|");
           const value = await (async () => (${expression}))().catch((error: any) => ({ error: error.message, code: error.code }));
           return { block: true, reason: JSON.stringify(value) ?? "undefined" };`,
          IMPORT,
        ),
        grant: { capabilities: { events: { see: ["tool_call"], block: true }, ...powers } },
      },
    },
    options,
  );
  const work = join(session.folder, "work");
  writeFileSync(join(work, "a.txt"), "one\ntwo\nthree\n");
  mkdirSync(join(work, "sub"));
  const verdict = await session.call();
  const said = verdict && "reason" in verdict ? verdict.reason : "";
  return { ...session, work, said: said.startsWith("{") || said.startsWith('"') ? JSON.parse(said) : said };
}

const READ = { fs: { read: ["$CWD", "$CWD/**"] } };
const WRITE = { fs: { read: ["$CWD", "$CWD/**"], write: ["$CWD/**"] } };

test("read and ls, over the fs power", async () => {
  const { said } = await tools(
    `[say(await agent.createReadTool(cwd).execute("1", { path: "a.txt", offset: 2, limit: 1 })), say(await agent.createLsTool(cwd).execute("2", {}))].join("--")`,
    READ,
  );
  expect(said).toBe("two\n\n[2 more lines in file. Use offset=3 to continue.]--a.txt\nsub/");
});

test("write and edit, over the fs power", async () => {
  const { said, work } = await tools(
    `[say(await agent.createWriteTool(cwd).execute("1", { path: "sub/b.txt", content: "x\\n" })),
      say(await agent.createEditTool(cwd).execute("2", { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] }))].join("--")`,
    WRITE,
  );
  expect(said).toBe("Successfully wrote to sub/b.txt--Successfully replaced 1 block(s) in a.txt.");
  expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  expect(readFileSync(join(work, "sub", "b.txt"), "utf8")).toBe("x\n");
});

test("each tool without its power is refused, and changes nothing", async () => {
  const { said, work, audit } = await tools(
    `(async () => { const calls = { read: { path: "a.txt" }, write: { path: "a.txt", content: "x" }, edit: { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] },
        bash: { command: "true" }, find: { pattern: "*" }, grep: { pattern: "one" } };
      const said = {};
      for (const tool of [agent.createReadTool(cwd), agent.createWriteTool(cwd), agent.createEditTool(cwd), agent.createBashTool(cwd), agent.createFindTool(cwd), agent.createGrepTool(cwd)])
        said[tool.name] = await tool.execute("1", calls[tool.name]).then(() => "done", (error) => error.message);
      return said; })()`,
    { fs: { read: ["$CWD"] } },
  );
  expect(said).toEqual({
    read: expect.stringContaining("fs"),
    write: expect.stringContaining("fs"),
    edit: expect.stringContaining("Could not edit file"),
    bash: expect.stringContaining("exec"),
    find: expect.stringContaining("exec"),
    grep: expect.stringContaining("exec"),
  });
  expect(audit.filter(({ outcome }) => outcome === "NOT_GRANTED").length).toBeGreaterThan(3);
  expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
});

test("bash, over the exec power", async () => {
  const { said } = await tools(
    `[say(await agent.createBashTool(cwd).execute("1", { command: "echo out; echo err >&2; pwd" })),
      await agent.createBashTool(cwd).execute("2", { command: "exit 3" }).catch((error) => error.message)].join("--")`,
    { exec: [BASH] },
  );
  expect(said).toMatch(/^out\n.*work\nerr\n?|^out\nerr\n.*work/s);
  expect(said).toContain("Command exited with code 3");
});

test("bash is stopped at its timeout, and when it is aborted", async () => {
  const { said } = await tools(
    `[await agent.createBashTool(cwd).execute("1", { command: "sleep 20", timeout: 0.3 }).catch((error) => error.message),
      await (async () => { const stop = new AbortController(); setTimeout(() => stop.abort(), 300);
        return agent.createBashTool(cwd).execute("2", { command: "sleep 20" }, stop.signal).catch((error) => error.message); })()].join("--")`,
    { exec: [BASH] },
  );
  expect(said).toContain("timed out after 0.3 seconds");
  expect(said).toContain("aborted");
});

test("a hook's own operations and its changes of a command", async () => {
  const { said } = await tools(
    `[say(await agent.createReadTool(cwd, { operations: { readFile: async () => Buffer.from("remote"), access: async () => {} } }).execute("1", { path: "x" })),
      say(await agent.createBashTool(cwd, { spawnHook: (spawned) => ({ ...spawned, command: "echo changed" }) }).execute("2", { command: "echo no" })),
      say(await agent.createBashTool(cwd, { operations: { exec: async (command, where, { onData }) => { onData(Buffer.from("ran " + command)); return { exitCode: 0 }; } } }).execute("3", { command: "x" }))].join("--")`,
    { exec: [BASH] },
  );
  expect(said).toBe("remote--changed\n--ran x");
});

test("definitions of tools carry what pi's have", needsTime(), async () => {
  const { said } = await tools(
    `JSON.stringify(["Read", "Bash", "Edit", "Write", "Find", "Grep", "Ls"].map((name) => { const tool = agent["create" + name + "ToolDefinition"](cwd); return [tool.name, typeof tool.execute, typeof tool.renderCall, Object.keys(tool.parameters.properties).length > 0]; }))`,
    {},
  );
  expect(JSON.parse(said)).toEqual(
    ["read", "bash", "edit", "write", "find", "grep", "ls"].map((name) => [name, "function", "function", true]),
  );
});

test("an image comes as it is, or is left out where it is too large for a model", needsTime(), async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const wide = Buffer.from(png, "base64");
  wide.writeUInt32BE(2001, 16);
  const { said } = await tools(
    `[say(await agent.createReadTool(cwd, { operations: { readFile: async () => Buffer.from("${png}", "base64"), access: async () => {}, detectImageMimeType: async () => "image/png" } }).execute("1", { path: "x.png" })),
      say(await agent.createReadTool(cwd, { operations: { readFile: async () => Buffer.from("${wide.toString("base64")}", "base64"), access: async () => {}, detectImageMimeType: async () => "image/png" } }).execute("1", { path: "x.png" }))].join("--")`,
    {},
  );
  expect(said).toMatch(/^Read image file \[image\/png\].*\|image\/png--Read image file .*omitted/s);
});

test("settings are read and written by the fs power, under the lock that pi uses", async () => {
  const { said, work } = await tools(
    `(async () => { const settings = agent.SettingsManager.create(cwd, cwd + "/agent"); settings.setDefaultModel?.("m");
      settings.setTheme("light"); await settings.flush(); return [settings.getTheme(), settings.drainErrors().map(({ error }) => error.message)].join("|"); })()`,
    WRITE,
  );
  expect(said).toBe("light|");
  expect(JSON.parse(readFileSync(join(work, "agent", "settings.json"), "utf8"))).toMatchObject({ theme: "light" });
});

test("settings that a hook may not read are as if there were none, and the refusal is said", needsTime(), async () => {
  const { said, audit } = await tools(
    `(async () => { const settings = agent.SettingsManager.create(cwd, cwd + "/agent"); return [settings.getTheme() ?? "none", settings.drainErrors().length].join("|"); })()`,
    {},
  );
  expect(said).toMatch(/^none\|/);
  expect(audit.map(({ outcome }) => outcome)).toContain("NOT_GRANTED");
});

test("a session's file is written and read by the fs power", needsTime(), async () => {
  const { said } = await tools(
    `(() => { const session = agent.SessionManager.create(cwd, cwd + "/sessions");
      session.appendMessage({ role: "user", content: "hi", timestamp: 1 });
      session.appendMessage({ role: "assistant", content: [{ type: "text", text: "ho" }], timestamp: 2 });
      return agent.SessionManager.open(session.getSessionFile()).getEntries().length + ""; })()`,
    WRITE,
  );
  expect(said).toBe("2");
});

test("a summary asks a model of the agent's, by the model power", needsTime(), async () => {
  const asked: unknown[] = [];
  const model = {
    complete: async (one: object, context: { messages: { content: unknown }[] }) => {
      asked.push([one, JSON.stringify(context).includes("[User]: do it")]);
      return { role: "assistant", content: [{ type: "text", text: "in short" }], stopReason: "stop" };
    },
  };
  const expression = `agent.generateSummary([{ role: "user", content: "do it", timestamp: 1 }], { provider: "p", id: "m", maxTokens: 100, reasoning: false }, 100, "key")`;
  const granted = await tools(`(await ${expression})`, { model: ["p"] }, { model });
  expect(granted.said).toBe("in short");
  expect(asked).toEqual([[expect.objectContaining({ provider: "p", id: "m" }), true]]);
  const refused = await tools(`(await ${expression})`, {}, { model });
  expect(refused.said.error).toContain("model");
  expect(asked).toHaveLength(1);
});

test("an answer of a model is one event of its stream; a refusal is its error", needsTime(), async () => {
  const model = { complete: async () => ({ role: "assistant", content: [], stopReason: "stop" }) };
  const expression = `(async () => { const seen = []; const stream = ai.streamSimple({ provider: "p", id: "m" }, { messages: [] });
    for await (const event of stream) seen.push(event.type); return [...seen, (await stream.result()).stopReason].join("|"); })()`;
  expect((await tools(expression, { model: ["p"] }, { model })).said).toBe("done|stop");
  expect((await tools(expression, {}, { model })).said).toBe("error|error");
});
