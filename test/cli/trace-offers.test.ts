import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { sampled } from "../support/length.ts";
import { needsTime } from "../support/needs.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

/** What `cordon trace` tries of a hook's tools and commands, and how it widens what its samples made up. */

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** The proposal and notes for an extension whose function has this body. */
async function traced(
  body: string,
  env: Record<string, string> = {},
  events = ['{"type":"turn_start","turnIndex":0,"timestamp":1}'],
) {
  writeFiles(folder, {
    "hook.ts": `import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
      import { join } from "node:path";
      const tried = (act: () => void) => { try { act(); } catch {} };
      const reply = { content: [{ type: "text", text: "ok" }], details: {} };
      export default (pi: any) => { ${body} };`,
    "events.jsonl": `${events.join("\n")}\n`,
  });
  const args = ["trace", "hook.ts", "--events", "events.jsonl", "--json"];
  const { code, stdout, stderr } = await cordon(args, { cwd: folder, home: join(folder, "home"), env });
  expect([code, stderr]).toEqual([0, ""]);
  const traced = JSON.parse(stdout);
  // The source around a body imports more than that uses, and has branches of its own.
  return { ...traced, notes: traced.notes.filter((note: string) => !note.startsWith("not reached: ")) };
}

const tool = (parameters: object, execute: string): string =>
  `pi.registerTool({ name: "t", description: "t", parameters: ${JSON.stringify(parameters)},
     execute: async (_id: string, params: any) => { ${execute}; return reply; } });`;
const TEXT = { type: "string" };

test("each choice of a tool's action is tried, with all that it takes", async () => {
  const parameters = {
    type: "object",
    required: ["action"],
    properties: { action: { enum: ["list", "add"] }, title: TEXT },
  };
  const { capabilities } = await traced(
    tool(parameters, 'if (params.action === "add" && params.title) await pi.exec("add-it", ["all"])'),
  );
  expect(capabilities.exec).toEqual([{ program: "add-it", args: ["all"], fullAccess: true }]);
});

test("a list in a tool's arguments has as many items as it must, each another", needsTime(), async () => {
  const items = { type: "object", required: ["label"], properties: { label: TEXT } };
  const parameters = {
    type: "object",
    required: ["options"],
    properties: { options: { type: "array", minItems: 2, items } },
  };
  const { capabilities } = await traced(
    tool(
      parameters,
      "const all = new Set(params.options.map((one: any) => one.label)); if (all.size === 2) await pi.exec('git', ['status'])",
    ),
  );
  expect(capabilities.exec).toEqual([{ program: "git", args: ["status"] }]);
});

test("a hook that reads the skills which a person names is tried with two, and any is proposed", async () => {
  const { capabilities } = await traced(
    `pi.on("input", ({ text }: any) => {
      const name = /^\\/(skill:\\S+)/.exec(text)?.[1];
      const skill = pi.getCommands().find((one: any) => one.name === name);
      if (skill) tried(() => readFileSync(skill.sourceInfo.path));
    });`,
    {},
    [
      '{"type":"input","text":"/skill:sample a","source":"interactive"}',
      '{"type":"input","text":"/skill:sample-own a","source":"interactive"}',
    ],
  );
  expect(capabilities.fs.read).toEqual(["$CWD/.pi/skills/*/SKILL.md", "$HOME/.pi/agent/skills/*/SKILL.md"]);
});

test("what a command turns on at events is seen, too", async () => {
  const { capabilities } = await traced(`
    let isOn = false;
    pi.registerCommand("on", { handler: () => { isOn = true; } });
    pi.on("turn_start", async () => { if (isOn) await pi.exec("git", ["status"]); });`);
  expect(capabilities.exec).toEqual([{ program: "git", args: ["status"] }]);
});

test("a hook is tried in a terminal and without one", needsTime(), async () => {
  const { capabilities } = await traced(`pi.on("turn_start", async (_event: any, ctx: any) => {
    if (ctx.mode === "tui") await ctx.ui.custom((_tui: any, _theme: any, _keys: any, done: any) => ({ render: () => ["?"], invalidate() {}, handleInput: done }));
    else if (await ctx.ui.select("which?", ["a", "b"])) await pi.exec("git", ["status"]);
  });`);
  expect(capabilities).toMatchObject({ ui: ["draw", "select"], exec: [{ program: "git" }] });
});

test("a command is tried with what it completes, and with a word", needsTime(), async () => {
  const { capabilities } = await traced(`pi.registerCommand("c", {
    getArgumentCompletions: () => [{ value: "sync", label: "sync" }],
    handler: async (args: string) => {
      if (args === "sync") await pi.exec("git", ["status", "--short"]);
      else if (args) await pi.exec("git", ["commit", "-m", args]);
    },
  });`);
  expect(capabilities.exec).toEqual([
    { program: "git", args: ["status", "--short"] },
    { program: "git", args: ["commit", "-m", { kind: "text" }] },
  ]);
});

test("a command that never ends is left behind, and noted", { timeout: 60_000 }, async () => {
  const { capabilities, notes } = await traced(`
    pi.registerCommand("stuck", { handler: () => new Promise(() => {}) });
    pi.registerCommand("then", { handler: async () => void (await pi.exec("later", [])) });`);
  expect(capabilities.exec).toMatchObject([{ program: "later" }]);
  expect(notes).toEqual(["command stuck did not end while it was tried"]);
});

// biome-ignore format: a table
const WIDENED: [claim: string, property: string, execute: string, capabilities: object][] = [
  ["any file that a tool is told to read", "path", "tried(() => readFileSync(join(process.env.HOME ?? '/h', '.notes', params.path)))", { fs: { read: [expect.stringMatching(/\/\.notes\/\*\*$/)] } }],
  ["any file that a tool is told to write", "path", "tried(() => writeFileSync(params.path, 'x'))", { fs: { write: ["$CWD/**"] } }],
  ["a name that a tool is told becomes any", "name", "tried(() => writeFileSync(params.name + '.log', 'x'))", { fs: { write: ["$CWD/*.log"] } }],
  ["a text that a tool is told becomes any", "query", "await pi.exec('git', ['log', '--grep', params.query])", { exec: [{ program: "git", args: ["log", "--grep", { kind: "text" }] }] }],
  ["a script that a tool is told becomes any", "query", "await pi.exec('sh', ['-c', 'grep ' + params.query])", { exec: [{ program: "sh", args: ["-c", { kind: "text" }], fullAccess: true }] }],
  ["a file that is shown stays in the project", "query", "await pi.exec('cat', [params.query])", { exec: [{ program: "cat", args: [{ kind: "relpath" }] }] }],
  ["what the samples did not make up stays as it is", "query", "await pi.exec('git', ['status']); tried(() => writeFileSync('out.txt', 'x'))", { exec: [{ program: "git", args: ["status"] }], fs: { write: ["$CWD/out.txt"] } }],
];
test.each(sampled(WIDENED, 3))("%s", async (_claim, property, execute, capabilities) => {
  const parameters = { type: "object", required: [property], properties: { [property]: TEXT } };
  expect((await traced(tool(parameters, execute))).capabilities).toMatchObject(capabilities);
});

test("an address that a tool is told is not proposed, but noted", needsTime(), async () => {
  const parameters = { type: "object", required: ["url"], properties: { url: TEXT } };
  const body = tool(parameters, "await fetch(params.url); await fetch('https://api.example.com/')");
  const { capabilities, notes } = await traced(body);
  expect(capabilities.net).toEqual({ connect: ["api.example.com:443"] });
  expect(notes).toEqual([expect.stringContaining("was not granted net: GET sample.example:443")]);
});

test("a folder that is the hook's own is proposed with all that is in it, but where code lies", async () => {
  const { capabilities } = await traced(`pi.on("turn_start", () => {
    mkdirSync(".mine/store", { recursive: true });
    mkdirSync(".pi/mine", { recursive: true });
    mkdirSync("src", { recursive: true });
    writeFileSync(".mine/store/" + Math.random() + ".json", "{}");
    tried(() => readdirSync(join(process.env.HOME ?? "", ".app", "store")));
    tried(() => readdirSync(process.env.HOME ?? ""));
  });`);
  expect(capabilities.fs).toEqual({
    // The pattern of what is in a folder covers the folder, but for writing beside code.
    write: ["$CWD/.mine", "$CWD/.mine/store/**", "$CWD/.pi", "$CWD/.pi/mine", "$CWD/.pi/mine/**", "$CWD/src"],
    read: ["$HOME/.app/store/**", "$HOME", "$CWD/.mine/store/**", "$CWD/.pi/mine/**"],
  });
});

test("a variable that names a place is as it is, and any other made up", async () => {
  const body = `pi.on("turn_start", async () => {
    await pi.exec("had", [String(process.env.MY_DIR), String(process.env.OTHER_DIR), String(process.env.MY_MODE)]);
  });`;
  const { capabilities } = await traced(body, { MY_DIR: "/srv/mine", MY_MODE: "secret" });
  expect(capabilities.exec.map(({ args }: { args: unknown }) => args)).toEqual([
    ["/srv/mine", "undefined", { kind: "text", lines: true }],
  ]);
});

test("a hook that a made-up variable keeps from loading is tried without it", needsTime(), async () => {
  const { capabilities, notes } = await traced(`
    if (process.env.PANE_KEY === "sample") throw new Error("no such pane");
    pi.on("turn_start", () => void pi.exec("git", ["status"]));`);
  expect(capabilities).toMatchObject({ env: ["PANE_KEY"], exec: [{ program: "git" }] });
  expect(notes).toEqual([]);
});

test("git answers as in a repository, so that a chain of commands goes on", async () => {
  const { capabilities } = await traced(`pi.on("turn_start", async () => {
    const git = async (...args: string[]) => (await pi.exec("git", args)).stdout.trim();
    if ((await git("rev-parse", "--is-inside-work-tree")) !== "true") return;
    const root = await git("rev-parse", "--show-toplevel");
    if (existsSync(root)) await git("cat-file", "-p", await git("-c", "core.abbrev=40", "rev-parse", "HEAD"));
  });`);
  expect(capabilities.exec.at(-1)).toEqual({ program: "git", args: ["cat-file", "-p", { kind: "sha" }] });
});

test("a hook that asks for much has all of it in its proposal", needsTime(), async () => {
  const { capabilities, notes } = await traced(`
    for (let at = 0; at < 1500; at++) existsSync("/nowhere/sub-" + (at % 190) + "/x");
    pi.on("turn_start", () => pi.exec("git", ["stash", "create"]));
  `);
  expect(notes).toEqual([]);
  expect(capabilities.fs.read).toHaveLength(190);
  expect(capabilities.exec).toEqual([{ program: "git", args: ["stash", "create"] }]);
});

test("what a hook may write it may read again, under the names of another day and process", async () => {
  const { capabilities } = await traced(`pi.on("turn_start", () => {
    for (const name of ["a.json.4711.tmp", ".tmp-k3j9x2", "log-2026-11-22.jsonl", "template.md", "v2.json"])
      tried(() => writeFileSync("/srv/own/" + name, "x"));
  });`);
  const names = ["a.json.*.tmp", ".tmp-*", "log-????-??-??.jsonl", "template.md", "v2.json"];
  expect(capabilities.fs.write).toEqual(names.map((name) => `/srv/own/${name}`));
  expect(capabilities.fs.read).toEqual(capabilities.fs.write);
});

test("a mode that a command begins is seen", needsTime(), async () => {
  const { capabilities } = await traced(`let on = false;
    pi.registerCommand("mode", { handler: async () => { on = true; } });
    pi.on("turn_start", () => { if (on) return pi.exec("git", ["stash", "create"]); });`);
  expect(capabilities.exec).toEqual([{ program: "git", args: ["stash", "create"] }]);
});

test("a text of several lines is proposed as one", async () => {
  const { capabilities } = await traced(
    tool(
      { type: "object", required: ["text"], properties: { text: TEXT } },
      `
      const { code } = await pi.exec("git", ["diff", "--cached", "--quiet"]);
      if (code !== 0) await pi.exec("git", ["commit", "-m", params.text + "\\n\\nmore"])`,
    ),
  );
  expect(capabilities.exec).toContainEqual({ program: "git", args: ["commit", "-m", { kind: "text", lines: true }] });
});

test("a provider is asked, signed in to and has its models listed, and a virtual model chooses", async () => {
  const model = `{ id: "m", name: "M", reasoning: false, input: ["text"], cost: {}, contextWindow: 1, maxTokens: 1 }`;
  const { capabilities } = await traced(`
    pi.registerProvider("their-llm", { baseUrl: "https://there.example.com/v1", api: "openai-completions", apiKey: "$THEIR_KEY", models: [${model}] });
    pi.registerProvider("my-llm", { baseUrl: "https://api.example.com", api: "mine", models: [${model}],
      async *streamSimple(model: any, context: any, options: any): AsyncGenerator<any> { await options.onPayload({}); await fetch(model.baseUrl + "/chat"); },
      async refreshModels() { await fetch("https://models.example.com"); return []; },
      oauth: { name: "x", async login(c: any) { await c.onPrompt({ message: "code" }); await fetch("https://login.example.com"); return { access: "a" }; }, getApiKey: (c: any) => c.access } });
    pi.registerVirtualModel({ provider: "jev", id: "auto", name: "A", route: (_request: any, ctx: any) => ({ model: ctx.modelRegistry.find("acme", "big"), thinkingLevel: "off" }) });`);
  expect(capabilities).toMatchObject({
    env: ["THEIR_KEY"],
    providers: [
      { name: "their-llm", url: "https://there.example.com/v1" },
      { name: "my-llm", streams: true },
      { name: "my-llm", login: true },
      { name: "jev", routes: true },
    ],
    model: ["acme"],
  });
  expect(capabilities.net.connect.sort()).toEqual([
    "api.example.com:443",
    "login.example.com:443",
    "models.example.com:443",
  ]);
});
