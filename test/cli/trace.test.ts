import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { cordon } from "../support/command.ts";
import { on, onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const run = (...args: string[]) => cordon(["trace", ...args], { cwd: folder, home: join(folder, "home") });

const EAGER = onToolCall(`
  const swallow = async (act: any) => { try { await act(); } catch {} };
  await swallow(() => require("node:fs").readFileSync("notes.md"));
  await swallow(() => require("node:fs").promises.writeFile("out.txt", "x"));
  await swallow(() => ctx.exec("git", ["status"]));
  await swallow(() => ctx.exec("git", ["stash", "apply", "${"a".repeat(40)}"]));
  await swallow(() => ctx.ui.confirm("sure?", ""));
  await swallow(() => pi.send("hello"));
  if (process.env.WANTED) return undefined;
  event.input.more = 1;
  return undefined;
`);

const NEEDS = {
  events: { see: ["tool_call"], block: true, rewriteInput: ["bash", "read", "write", "edit"] },
  fs: { read: ["$CWD/notes.md"], write: ["$CWD/out.txt"] },
  exec: [
    { program: "git", args: ["status"] },
    { program: "git", args: ["stash", "apply", { kind: "sha" }] },
  ],
  ui: ["confirm"],
  send: { perMinute: 6 },
  env: ["WANTED"],
};

test("it prints the least grant that covers what a hook tried, and does none of it", async () => {
  writeFiles(folder, { "eager.ts": EAGER });
  const { code, stdout } = await run("eager.ts", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    path: "eager.ts",
    events: 57,
    rounds: 2,
    unreached: [],
    notes: [],
    capabilities: NEEDS,
  });
  expect(existsSync(join(folder, "out.txt"))).toBe(false);
});

test.each([
  ["always", '".env"', ["$CWD/.env"], []],
  [
    "since a tool is about it, as of any file",
    "String(event.input.path)",
    ["$CWD/**"],
    ["it reads what events name, $CWD/.env too, which holds secrets and is not in the proposal"],
  ],
])("a file with secrets that a hook reads %s", async (_claim, file, read, notes) => {
  writeFiles(folder, {
    "reads.ts": onToolCall(`try { require("node:fs").readFileSync(${file}); } catch {} return undefined;`),
    ".env": "KEY=x",
  });
  const traced = JSON.parse((await run("reads.ts", "--json")).stdout);
  expect(traced.capabilities.fs.read).toEqual(read);
  expect(traced.notes).toEqual(notes);
});

test.each([
  ["is never written to", "", []],
  ["ends without a word", "child.stdin.end();", []],
  ["is written to later", 'setTimeout(() => child.stdin.end("late"), 20);', [{ stdin: true, fullAccess: true }]],
])("an input that a hook asks for and that %s", async (_claim, act, more) => {
  const body = `const child = require("node:child_process").spawn("wc", ["-l"], { stdio: "pipe" }); child.stdin.on("error", () => {}); ${act}`;
  writeFiles(folder, { "pipes.ts": onToolCall(body) });
  const runs = { program: "wc", args: ["-l"] };
  const { exec } = JSON.parse((await run("pipes.ts", "--json")).stdout).capabilities;
  expect(exec).toEqual([runs, ...more.map((one) => ({ ...runs, ...one }))]);
});

test("with that grant nothing is missing", async () => {
  writeFiles(folder, { "eager.ts": EAGER, "notes.md": "" });
  writeFiles(folder, {
    "grants.json": JSON.stringify({ version: 1, hooks: { "./eager.ts": { capabilities: NEEDS } } }),
  });
  const again = JSON.parse((await run("eager.ts", "--grants", "grants.json", "--json")).stdout);
  expect(again.missing).toEqual({});
  // What is granted and what is missing are one proposal.
  expect(again.capabilities).toEqual(NEEDS);
});

test("for people it is a part of a manifest, with the errors", async () => {
  writeFiles(folder, { "broken.ts": on("turn_start", 'throw new Error("its own mistake");') });
  const { code, stdout } = await run("broken.ts");
  expect(code).toBe(0);
  expect(stdout).toContain("broken.ts would need, as far as 57 events showed:");
  expect(stdout).toContain("its own mistake");
  writeFiles(folder, {
    "input.ts": on("input", 'if (event.text === "never") return { action: "handled" };'),
    "eager.ts": EAGER,
  });
  expect((await run("input.ts")).stdout).toContain("input.ts would need, as far as 57 events and its source showed");
  expect((await run("eager.ts")).stdout).toMatch(/as far as 57 events( and its source)? showed in \d rounds:\n/);
  expect(existsSync(join(folder, "out.txt"))).toBe(false);
});

test("what a person should know before they grant the proposal stands below it", async () => {
  const imports = 'import { readFileSync } from "node:fs";\nimport { homedir } from "node:os";';
  writeFiles(folder, { "peek.ts": on("turn_start", 'readFileSync(homedir() + "/.ssh/id_rsa");', imports) });
  const { stdout } = await run("peek.ts");
  expect(stdout).toMatch(/^! fs: it reads what holds keys or passwords \(\$HOME\/\.ssh\/id_rsa\)$/m);
});

test("recorded events replace the samples", async () => {
  writeFiles(folder, { "eager.ts": EAGER, "events.jsonl": '{"type":"turn_start","turnIndex":0,"timestamp":1}\n' });
  const traced = JSON.parse((await run("eager.ts", "--events", "events.jsonl", "--json")).stdout);
  const { capabilities, events, notes } = traced;
  expect([events, capabilities]).toEqual([1, { events: { see: ["tool_call"], block: true } }]);
  expect(notes).toContainEqual(
    expect.stringMatching(/^not in the proposal, since these events led to none of it: .*\bui confirm\b/),
  );
  writeFiles(folder, { "events.jsonl": '{"type":"turn_start","turnIndex":0,"timestamp":1}\n{"type":5}\n' });
  const { code, stderr } = await run("eager.ts", "--events", "events.jsonl");
  expect([code, stderr]).toEqual([1, expect.stringContaining("events.jsonl: line 2 is no event")]);
});

test("a hook that does not load and a missing hook are reported", async () => {
  writeFiles(folder, { "bad.ts": "export default 1;" });
  expect(await run("bad.ts")).toMatchObject({ code: 1, stderr: expect.stringContaining("bad.ts does not load") });
  expect(await run("none.ts")).toMatchObject({ code: 1, stderr: "cordon: none.ts: no such file\n" });
});

test("the shipped file-trigger is traced to its file", async () => {
  const shipped = join(PACKAGE_ROOT, "node_modules/@mariozechner/pi-coding-agent/examples/hooks/file-trigger.ts");
  const { capabilities } = JSON.parse((await run(shipped, "--json")).stdout);
  expect(capabilities.fs.watch).toEqual([expect.stringMatching(/agent-trigger\.txt$/)]);
});

const one = (input: object = {}): string =>
  `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input })}\n`;

const STEPS = onToolCall(`
  const fs = require("node:fs");
  const attempt = (act: any) => { try { return act(); } catch (error) { return String(error); } };
  attempt(() => fs.mkdirSync("state", { recursive: true }));
  const step = attempt(() => fs.existsSync("state/step") ? fs.readFileSync("state/step", "utf8") : "none");
  attempt(() => fs.writeFileSync("state/step", step === "none" ? "one" : "two"));
  if (step === "one") attempt(() => fs.readFileSync("first.md"));
  if (step === "two") await ctx.exec("git", ["notes"]).catch(() => {});
`);

test("it is tried again with what it writes, in a copy, until it asks for nothing new", async () => {
  writeFiles(folder, { "steps.ts": STEPS });
  const { capabilities, rounds } = JSON.parse((await run("steps.ts", "--json")).stdout);
  expect(capabilities.exec).toEqual([{ program: "git", args: ["notes"], fullAccess: true }]);
  expect(capabilities.fs.read).toContain("$CWD/first.md");
  expect(JSON.stringify(capabilities)).not.toContain("cordon-trace");
  expect(rounds).toBeGreaterThan(1);
  expect(existsSync(join(folder, "state"))).toBe(false);
});

test("what lies beside the hook is proposed by its place in the folder, in each round", async () => {
  const body = `const path = require("node:path").join(__dirname, "own.json");
    try { require("node:fs").writeFileSync(path, "{}"); } catch {}
    try { require("node:fs").readFileSync(path); } catch {}`;
  writeFiles(folder, { "own.ts": onToolCall(body), "one.jsonl": one() });
  const { capabilities } = JSON.parse((await run("own.ts", "--events", "one.jsonl", "--json")).stdout);
  expect(capabilities.fs).toEqual({ read: ["$CWD/own.json"], write: ["$CWD/own.json"] });
});

test("a hook that asks for something new each time is left in the end", async () => {
  const body = `
    const fs = require("node:fs");
    const count = fs.existsSync("count") ? Number(fs.readFileSync("count", "utf8")) : 0;
    try { fs.writeFileSync("file-" + "abcdefghijklmnopqrstuvwxyz"[count], ""); } catch {}
    fs.writeFileSync("count", String(count + 1));`;
  writeFiles(folder, { "endless.ts": onToolCall(body), "two.jsonl": one() + one() });
  const { rounds, notes } = JSON.parse((await run("endless.ts", "--events", "two.jsonl", "--json")).stdout);
  const said = expect.stringContaining("still asked for more after 4 rounds");
  expect([rounds, notes]).toEqual([4, expect.arrayContaining([said])]);
});

/** Grants of a variable that the hook does not use, and more memory than usual, under a key. */
const grants = (key: string, more: object = {}): string =>
  JSON.stringify({
    version: 1,
    hooks: { [key]: { capabilities: { env: ["MINE"], ...more }, limits: { memoryMb: 128 } } },
  });

test.each<[what: string, key: (file: string) => string, file: string, flags: string[]]>([
  ["in Cordon's home by its path", (file) => file, "home/grants.json", []],
  ["in Cordon's home by its id", () => "gate", "home/grants.json", []],
  ["in a named file by its path", () => "./hook/index.ts", "grants.json", ["--grants", "grants.json"]],
  ["in a named file by its id", () => "gate", "grants.json", ["--grants", "grants.json"]],
])("a proposal has what is granted %s", async (_what, key, file, flags) => {
  const path = join(folder, "hook", "index.ts");
  writeFiles(folder, {
    "hook/index.ts": onToolCall(reads("notes.md")),
    "hook/package.json": JSON.stringify({ name: "gate", version: "1.0.0", cordon: { hooks: ["index.ts"] } }),
    "one.jsonl": one(),
    [file]: grants(key(path)),
  });
  const traced = async (...more: string[]) =>
    JSON.parse((await run("hook/index.ts", "--events", "one.jsonl", "--json", ...more)).stdout);
  const { capabilities, limits, missing, notes } = await traced(...flags);
  const own = { events: { see: ["tool_call"], block: true }, fs: { read: ["$CWD/notes.md"] } };
  expect([capabilities, limits, missing]).toEqual([{ ...own, env: ["MINE"] }, { memoryMb: 128 }, own]);
  expect(notes).toContain(`this includes what ${join(folder, file)} grants it; not granted: events, fs`);
  if (flags.length > 0) return;
  const alone = await traced("--no-grants");
  expect([alone.capabilities, alone.limits, alone.missing]).toEqual([own, undefined, undefined]);
});

test("what every hook of the user's own has is in no proposal because of a grant of something else", async () => {
  const path = join(folder, "gate.ts");
  const usual = { events: { see: ["*"], block: true, cancel: true }, ui: ["notify", "select", "confirm", "input"] };
  writeFiles(folder, {
    "gate.ts": onToolCall(reads("notes.md")),
    "one.jsonl": one(),
    "home/grants.json": JSON.stringify({ version: 1, hooks: { [path]: { capabilities: { ...usual, env: ["CI"] } } } }),
  });
  await run("gate.ts", "--events", "one.jsonl", "--write");
  expect(JSON.parse(readFileSync(join(folder, "gate.hook.json"), "utf8")).capabilities).toEqual({
    events: { see: ["tool_call"], block: true },
    fs: { read: ["$CWD/notes.md"] },
    env: ["CI"],
  });
});

test("an event that no agent sends is in no proposal", async () => {
  writeFiles(folder, {
    "gate.ts": 'export default (pi: any) => { pi.on("tool_cal", () => {}); pi.on("agent_end", () => {}); };',
  });
  await run("gate.ts", "--write");
  expect(JSON.parse(readFileSync(join(folder, "gate.hook.json"), "utf8")).capabilities).toEqual({
    events: { see: ["agent_end"] },
  });
});

test("with --grants it is tried again, too, and what it writes then is never run", async () => {
  const marker = join(folder, "ran");
  const body = `
    const fs = require("node:fs");
    const attempt = (act: any) => { try { return act(); } catch (error) { return String(error); } };
    const before = attempt(() => fs.existsSync("run.sh"));
    attempt(() => fs.writeFileSync("run.sh", ${JSON.stringify(`touch ${marker}`)}));
    if (before === true) attempt(() => fs.readFileSync("after.md"));
    await ctx.exec("sh", ["run.sh"]).catch(() => {});`;
  const exec = [{ program: "sh", args: ["run.sh"], fullAccess: true }];
  const more = { events: { see: ["tool_call"] }, fs: { read: ["$CWD/run.sh"] }, exec };
  writeFiles(folder, {
    "hook.ts": onToolCall(body),
    "two.jsonl": one() + one(),
    "grants.json": grants("./hook.ts", more),
  });
  const flags = ["--events", "two.jsonl", "--grants", "grants.json", "--json"];
  const { capabilities, missing, rounds } = JSON.parse((await run("hook.ts", ...flags)).stdout);
  expect(rounds).toBeGreaterThan(1);
  expect(missing.fs).toEqual({ read: ["$CWD/after.md"], write: ["$CWD/run.sh"] });
  expect(capabilities).toMatchObject({ env: ["MINE"], exec });
  expect(existsSync(marker)).toBe(false);
});

const reads = (...names: string[]): string =>
  names.map((name) => `try { require("node:fs").readFileSync(${JSON.stringify(name)}); } catch {}`).join("\n");
const spread = [..."abcdefghi"].map((name) => `${name}/x.json`);

test.each<[what: string, body: string, read: string[]]>([
  ["a file", reads("config/a.json"), ["$CWD/config/a.json"]],
  ["three files of a folder", reads("a.json", "b.json", "c.json"), ["$CWD/a.json", "$CWD/b.json", "$CWD/c.json"]],
  ["four files of a folder", reads("d/a.json", "d/b.json", "d/c.json", "d/d.json"), ["$CWD/d/*"]],
  ["files all over the project", reads(...spread), ["$CWD/**"]],
  ["the file that a call names", 'try { require("node:fs").readFileSync(event.input.path); } catch {}', ["$CWD/**"]],
])("for reading %s it proposes no more", async (_what, body, read) => {
  writeFiles(folder, { "reads.ts": onToolCall(body), "one.jsonl": one({ path: "src/some.ts" }) });
  const { capabilities } = JSON.parse((await run("reads.ts", "--events", "one.jsonl", "--json")).stdout);
  expect(capabilities.fs).toEqual({ read });
});

test("code that no event reached is named", async () => {
  const source = `export default function (pi: any) {
    pi.on("agent_end", async () => {});
    pi.on("tool_call", async (event: any) => { if (event.input.command === "never") await fetch("https://example.com"); });
  }`;
  writeFiles(folder, { "branches.ts": source, "one.jsonl": one() });
  const { notes, unreached } = JSON.parse((await run("branches.ts", "--events", "one.jsonl", "--json")).stdout);
  expect(notes).toEqual([
    "not reached: no event here was of what it hears: agent_end; show it one with --events FILE",
    "not reached: its source seems to use net, and no event led there",
    "not reached: branches.ts:2 (function), branches.ts:3 (if)",
  ]);
  expect(unreached).toEqual([
    { file: "branches.ts", line: 2, column: 24, kind: "function" },
    { file: "branches.ts", line: 3, column: 85, kind: "if" },
  ]);
});

test("a database that it would write is an empty one in memory", async () => {
  const source = `const { DatabaseSync } = require("node:sqlite");
  export default function (pi: any) {
    pi.on("tool_call", async () => {
      const base = new DatabaseSync("kept.db");
      base.exec("CREATE TABLE a AS SELECT 'one' AS b");
      const [row] = base.prepare("SELECT b FROM a").all();
      if (row.b === "one") require("node:fs").readFileSync("notes.md");
    });
  }`;
  writeFiles(folder, { "base.ts": source, "notes.md": "x", "one.jsonl": one() });
  const { capabilities, notes } = JSON.parse((await run("base.ts", "--events", "one.jsonl", "--json")).stdout);
  expect([capabilities.sqlite, capabilities.fs, notes]).toEqual([
    [{ path: "$CWD/kept.db", write: true }],
    { read: ["$CWD/notes.md"] },
    ["not reached: its source seems to use exec, and no event led there"],
  ]);
  expect(existsSync(join(folder, "kept.db"))).toBe(false);
});

test("--write refuses a manifest in which a key on the way stands twice, and says which", async () => {
  const text = '{"capabilities": {"ui": ["notify"]},\n "capabilities": {}}\n';
  writeFiles(folder, {
    "hook.ts": onToolCall("ctx.ui.notify('x');"),
    "hook.hook.json": text,
  });
  expect(await run("hook.ts", "--write")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/hook\.hook\.json:1: the key "capabilities" is there again in line 2/),
  });
  expect(readFileSync(join(folder, "hook.hook.json"), "utf8")).toBe(text);
});

test("--write adds the proposal to the manifest, and keeps the rest", async () => {
  writeFiles(folder, { "hook.ts": onToolCall(reads("notes.md")), "one.jsonl": one() });
  const write = () => run("hook.ts", "--events", "one.jsonl", "--write");
  const manifest = join(folder, "hook.hook.json");
  expect((await write()).stderr).toBe(`note: written: ${manifest}, with events, fs\n`);
  const first = { events: { see: ["tool_call"], block: true }, fs: { read: ["$CWD/notes.md"] } };
  expect(JSON.parse(readFileSync(manifest, "utf8"))).toEqual({ capabilities: first });
  expect((await write()).stderr).toBe(`note: ${manifest} stays as it was: it asks for all of that already\n`);

  rmSync(manifest);
  const asked = {
    hooks: ["hook.ts"],
    why: { fs: "notes" },
    capabilities: { fs: { read: ["$CWD/mine"] }, env: ["CI"] },
  };
  const json = { name: "x", version: "1.0.0", cordon: asked, scripts: {} };
  writeFiles(folder, { "package.json": JSON.stringify(json, null, 2) });
  expect((await write()).stderr).toBe(
    `note: written: ${join(folder, "package.json")}; added: events, fs; what it asked for before stays: fs, env\n`,
  );
  const capabilities = { fs: { read: ["$CWD/mine", "$CWD/notes.md"] }, env: ["CI"], events: first.events };
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toEqual({
    ...json,
    cordon: { ...asked, capabilities },
  });
});
