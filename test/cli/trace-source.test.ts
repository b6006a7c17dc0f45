import { beforeEach, expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** What `cordon trace` proposes of what a hook's source names, and what it takes from the person's own world. */

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function traced(source: string, ...args: string[]) {
  writeFiles(folder, { "hook.ts": source, "work/a.txt": "", "one.jsonl": '{"type":"agent_start"}\n' });
  const { code, stdout } = await cordon(["trace", "hook.ts", "--json", ...args], { cwd: folder, home: folder });
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

const SELDOM = `export default (pi: any) => {
  pi.on("before_agent_start", (event: any, ctx: any) => {
    if (event.prompt !== "a word that no sample has") return;
    ctx.ui.notify("seen");
    return { systemPrompt: event.systemPrompt + "more" };
  });
  pi.on("agent_start", () => {});
};`;

test("a decision that no sample leads to is proposed, and said to be", async () => {
  const { capabilities, notes } = await traced(SELDOM);
  expect(capabilities).toEqual({
    events: { see: ["agent_start", "before_agent_start"], rewritePrompt: true },
    session: expect.any(Array),
    ui: ["notify"],
  });
  expect(notes).toEqual([
    "not reached: hook.ts:4 (what follows)",
    "in its source, and tried with no sample: events.rewritePrompt, ui notify",
  ]);
});

test("recorded events are taken as they are", async () => {
  const { capabilities, notes } = await traced(SELDOM, "--events", "one.jsonl");
  expect(capabilities).toEqual({ events: { see: ["agent_start", "before_agent_start"] } });
  expect(notes).toEqual([
    "not reached: no event here was of what it hears: before_agent_start; show it one with --events FILE",
    "not reached: its source seems to use events.rewritePrompt, and no event led there",
    "not reached: hook.ts:2 (function)",
    "not in the proposal, since these events led to none of it: events.rewritePrompt, ui notify, session messages",
  ]);
});

test("a right over tools stays as it was tried", async () => {
  const source = `export default (pi: any) =>
    pi.on("tool_call", (event: any) => { if (event.input.command) event.input.command = "ls"; });`;
  const { capabilities, notes } = await traced(source);
  expect([capabilities.events.rewriteInput, notes]).toEqual([["bash"], []]);
});

const PLACED = `import { readFileSync } from "node:fs";
  export default (pi: any) => {
    const look = (path: string) => { try { readFileSync(path); } catch {} };
    pi.on("resources_discover", (event: any) => look(event.cwd + "/../above.json"));
    pi.on("before_agent_start", async (_event: any, ctx: any) => {
      look(ctx.cwd + "/../" + ctx.model.provider);
      const other = ctx.modelRegistry.find("openai", "gpt");
      try { await ctx.modelRegistry.getApiKeyForProvider(other.provider); } catch {}
    });
  };`;

test("samples are of the folder that the hook sees, and of the model that pi begins with", async () => {
  writeFiles(folder, { "agent/settings.json": '{"defaultProvider":"mock","defaultModel":"small"}' });
  const { capabilities } = await traced(PLACED, "--cwd", "work");
  const names = capabilities.fs.read.map((pattern: string) => pattern.split("/").at(-1));
  expect([names, capabilities.model]).toEqual([["above.json", "mock"], ["openai"]]);
});

test("settings that are no JSON are none", async () => {
  writeFiles(folder, { "agent/settings.json": "{" });
  const { capabilities } = await traced(PLACED, "--cwd", "work");
  expect(capabilities.fs.read.at(-1)).toMatch(/\/anthropic$/);
});

test("a provider that a sample variable named is not proposed", async () => {
  const source = `export default (pi: any) => pi.on("agent_start", async (_event: any, ctx: any) => {
    for (const provider of [process.env.MY_PROVIDER, "openai"])
      try { await ctx.modelRegistry.getApiKeyForProvider(provider); } catch {}
  });`;
  expect((await traced(source)).capabilities.model).toEqual(["openai"]);
});

test("a sample git tells a branch in each form of its status", async () => {
  const source = `export default (pi: any) => pi.on("agent_start", async () => {
    const branches = await Promise.all([
      ["--no-optional-locks", "status", "--porcelain=v2", "--branch"],
      ["status", "-sb"],
      ["status", "--porcelain", "-b"],
    ].map((args) => pi.exec("git", args)));
    const names = branches.map(({ stdout }: any) => /^(?:# branch\\.head |## )(\\w+)/m.exec(stdout)?.[1]);
    await pi.exec("told", names);
  });`;
  const { capabilities } = await traced(source);
  expect(capabilities.exec.at(-1)).toMatchObject({ program: "told", args: Array(3).fill({ kind: "text" }) });
});

test("models that a hook looks for in turn are all proposed", async () => {
  const source = `export default (pi: any) => pi.on("agent_start", async (_event: any, ctx: any) => {
    const model = ctx.modelRegistry.find("first", "a") ?? ctx.modelRegistry.find("second", "b");
    if (model) try { await ctx.modelRegistry.getApiKeyForProvider(model.provider); } catch {}
  });`;
  expect((await traced(source)).capabilities.model).toEqual(["first", "second"]);
});
