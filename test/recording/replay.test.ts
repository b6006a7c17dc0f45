import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsIn } from "../../src/testing.ts";
import { cordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

const BEFORE = onToolCall(`
  const { command } = event.input;
  if (command.includes("rm")) return { block: true, reason: "no rm, said at " + Date.now() };
  if (command === "ls") { event.input.command = "ls -l"; }
`);
/** It blocks more and less, rewrites in another way, and would run a program. */
const AFTER = onToolCall(`
  const { command } = event.input;
  const run = await ctx.exec("touch", ["ran"]);
  if (run.code !== 0) return { block: true, reason: "touch failed" };
  if (command.includes("rm -rf") || command.includes("ghp_real")) return { block: true, reason: "no rm -rf" };
  if (command === "ls") { event.input.command = "ls -a"; }
`);
const call = (command: string) =>
  JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } });
const COMMANDS = ["rm -rf /", "rm one", "ls", "echo", "echo ghp_real_0123456789abcdef"];
const see = { see: ["tool_call"], block: true, rewriteInput: ["bash"] };

test("a recorded session is judged again by today's hooks, and does nothing", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const grants = (more: object) =>
    JSON.stringify({ version: 1, hooks: { "./gate.ts": { capabilities: { events: see, ...more } } } });
  const hook = ["--hook", "gate.ts", "--grants", "grants.json", "--no-discover"];
  const at = { cwd: folder, home };
  writeFiles(folder, { "gate.ts": BEFORE, "grants.json": grants({}) });
  const input = `${COMMANDS.map(call).join("\\n")}\\n`.replaceAll("\\n", "\n");
  const first = await cordon(["run", ...hook, "--record", "session.jsonl"], { ...at, input });
  expect(first.stderr).toContain("note: recorded 5 events in");
  expect(readFileSync(join(folder, "session.jsonl"), "utf8")).not.toContain("ghp_real_0123456789abcdef");
  expect((await eventsIn(join(folder, "session.jsonl"))).map(({ type }) => type)).toEqual(Array(5).fill("tool_call"));

  // The same hook decides the same, also where its words differ.
  const same = await cordon(["replay", "session.jsonl", ...hook], at);
  expect([same.code, same.stdout]).toEqual([0, "5 events judged, 0 decided otherwise\n"]);

  writeFiles(folder, {
    "gate.ts": AFTER,
    "grants.json": grants({ exec: [{ program: "touch", args: ["ran"], fullAccess: true }] }),
  });
  const { code, stdout, stderr } = await cordon(["replay", "session.jsonl", ...hook], at);
  expect(code).toBe(1);
  expect(stderr).toContain("is another version now");
  expect(stdout).toMatch(
    /tool_call bash \(line 2\)\n {2}input {5}\{"command":"rm one"\}\n {2}recorded {2}blocked by .*no rm.*\n {2}today {5}passed\n {2}pretended exec/,
  );
  expect(stdout).toMatch(/\(line 3\)\n {2}input .*\n {2}recorded {2}changed .*ls -l.*\n {2}today {5}changed .*ls -a/);
  expect(stdout).not.toMatch(/line (1|4|5)\)/);
  // The hook looks at the masked field of line 5, too, and decides the same with any stand-in.
  expect(stdout).toContain("5 events judged, 2 decided otherwise\n");
  expect(stdout).not.toMatch(/masked {4}/);
  expect(existsSync(join(folder, "ran"))).toBe(false);

  // Nobody knows the version of a hook that was not built.
  writeFiles(folder, { "off.json": '{"version":1,"hooks":{"./gate.ts":{"disabled":true}}}' });
  const off = ["--hook", "gate.ts", "--grants", "off.json", "--no-discover"];
  const disabled = await cordon(["replay", "session.jsonl", ...off], at);
  expect(disabled.stderr).toMatch(/gate\.ts: disabled: a person disabled it/);
  expect(disabled.stderr).not.toContain("another version");

  // A verdict that depends on a masked field is marked: it would be another one with the secret, perhaps.
  writeFiles(folder, {
    "gate.ts":
      onToolCall(`if (/secret-0|rm/.test(event.input.command)) return { block: true, reason: event.input.command };
      if (event.input.command === "ls") event.input.command = "ls -l";`),
  });
  const human = await cordon(["replay", "session.jsonl", ...hook], at);
  expect(human.stdout).toMatch(
    /tool_call bash \(line 5\)\n {2}input .*\n {2}recorded {2}passed\n {2}today {5}blocked by .*\n {2}masked {4}\/input\/command: hooks read a stand-in there, and decide by it\n5 events judged, 1 decided otherwise, 1 of them by what is masked\n$/,
  );
  const json = await cordon(["replay", "session.jsonl", ...hook, "--json"], at);
  const rows = json.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([json.code, json.stderr, rows.length]).toEqual([1, "", 5]);
  expect(rows[4]).toMatchObject({
    line: 5,
    event: "tool_call bash",
    differs: true,
    recorded: null,
    masked: ["/input/command"],
    readsMasked: true,
  });
  expect(rows[3]).toMatchObject({ differs: false, masked: [], readsMasked: false });

  // One that blocks for another reason is not marked.
  writeFiles(folder, {
    "gate.ts": onToolCall(
      'if (event.input.command.startsWith("echo")) return { block: true, reason: event.input.command };',
    ),
  });
  const other = await cordon(["replay", "session.jsonl", ...hook, "--json"], at);
  const last = JSON.parse(other.stdout.trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ line: 5, differs: true, masked: ["/input/command"], readsMasked: false });

  writeFiles(folder, { "gate.ts": AFTER });
  await cordon(["replay", "session.jsonl", ...hook, "--act"], at);
  expect(existsSync(join(folder, "ran"))).toBe(true);

  writeFileSync(join(folder, "events.jsonl"), input);
  expect(await cordon(["replay", "events.jsonl", ...hook], at)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("it is no recording"),
  });
});

test("a verdict that hangs on a person, or on a power that was refused, says so", async () => {
  const folder = temporaryFolder();
  const at = { cwd: folder, home: join(folder, "home") };
  writeFiles(folder, {
    "gate.ts": onToolCall(`
      const { command } = event.input;
      if (command === "ask" && !(await ctx.ui.confirm("Go on?", ""))) return { block: true, reason: "nobody said yes" };
      if (command === "read") await require("node:fs").promises.readFile("notes.md");
      if (command === "change") event.input.command = "changed";`),
    "session.jsonl": ["ask", "read", "change"]
      .map((command) => {
        const verdict = command === "change" ? { input: { command: "changed" } } : null;
        return `${JSON.stringify({ ...JSON.parse(call(command)), recorded: { version: 1, at: "2026-01-31T00:00:00Z", verdict } })}\n`;
      })
      .join(""),
  });
  const replay = (...more: string[]) =>
    cordon(["replay", "session.jsonl", "--no-discover", "--hook", "gate.ts", ...more], at);
  const { code, stdout } = await replay();
  expect(code).toBe(1);
  for (const said of [
    /today {5}blocked by .*: nobody said yes\n {2}asked {5}confirm: nobody was there, which counts as a no\n/,
    /today {5}blocked by .*\n {2}refused {3}hook gate\.ts was not granted fs: read notes\.md\n/,
    /today {5}passed\n {2}refused {3}hook gate\.ts was not granted events\.rewriteInput for bash: its change of the input was dropped\n/,
  ])
    expect(stdout).toMatch(said);
  const rows = (await replay("--json")).stdout
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row));
  expect(rows.map(({ refused, unanswered }) => [refused.length, unanswered])).toEqual([
    [0, ["confirm"]],
    [1, []],
    [1, []],
  ]);
});
