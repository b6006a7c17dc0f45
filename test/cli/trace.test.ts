import { existsSync } from "node:fs";
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

test("it prints the least grant that covers what a hook tried", async () => {
  writeFiles(folder, { "eager.ts": EAGER });
  const { code, stdout } = await run("eager.ts", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    path: "eager.ts",
    events: 55,
    notes: [],
    capabilities: {
      events: { see: ["tool_call"], block: true, rewriteInput: ["bash", "read", "write", "edit"] },
      fs: { read: ["$CWD/**"], write: ["$CWD/out.txt"] },
      exec: [
        { program: "git", args: ["status"] },
        { program: "git", args: ["stash", "apply", { kind: "sha" }] },
      ],
      ui: ["confirm"],
      send: { perMinute: 6 },
      env: ["WANTED"],
    },
  });
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
  const { capabilities } = JSON.parse((await run("eager.ts", "--json")).stdout);
  const all = { ...capabilities, exec: capabilities.exec.map((entry: object) => ({ ...entry, program: "git" })) };
  writeFiles(folder, { "grants.json": JSON.stringify({ version: 1, hooks: { "./eager.ts": { capabilities: all } } }) });
  const again = JSON.parse((await run("eager.ts", "--grants", "grants.json", "--json")).stdout);
  expect(again.capabilities).toEqual({ events: { see: ["tool_call"], block: true } });
});

test("nothing that it tried is done", async () => {
  writeFiles(folder, { "eager.ts": EAGER });
  await run("eager.ts");
  expect(existsSync(join(folder, "out.txt"))).toBe(false);
});

test("for people it is a part of a manifest, with the errors", async () => {
  writeFiles(folder, { "broken.ts": on("turn_start", 'throw new Error("its own mistake");') });
  const { code, stdout } = await run("broken.ts");
  expect(code).toBe(0);
  expect(stdout).toContain("broken.ts would need, as far as 55 events showed:");
  expect(stdout).toContain("its own mistake");
});

test("recorded events replace the samples", async () => {
  writeFiles(folder, { "eager.ts": EAGER, "events.jsonl": '{"type":"turn_start","turnIndex":0,"timestamp":1}\n' });
  const { capabilities, events } = JSON.parse((await run("eager.ts", "--events", "events.jsonl", "--json")).stdout);
  expect([events, capabilities]).toEqual([1, { events: { see: ["tool_call"], block: true } }]);
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
