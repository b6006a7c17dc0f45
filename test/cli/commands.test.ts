import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { cordon, served, startCordon } from "../support/command.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

const GATE = onToolCall(
  'if (String(event.input.command).includes("rm")) return { block: true, reason: "no rm" };\nif (event.input.command === "ask") return { block: true, reason: String(await ctx.ui.select("Which?", ["A"])) };',
);
const call = (command: string): string =>
  `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: { command } })}\n`;

let folder: string;
let home: string;
const run = (args: string[], input: string | Buffer = "", env: NodeJS.ProcessEnv = {}) =>
  cordon(args, { cwd: folder, home, input, env });

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder, "home");
  writeFiles(folder, { "gate.ts": GATE });
});

test("run prints one verdict per line for people", async () => {
  const { code, stdout } = await run(["run", "--no-discover", "--hook", "./gate.ts"], call("ls") + call("rm x"));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^tool_call bash {2}passed .* ms\ntool_call bash {2}blocked by .*gate\.ts: no rm {2}.* ms\n$/);
});

test("run --json reads a file and prints one object per line for programs", async () => {
  writeFiles(folder, { "events.jsonl": `${call("rm x")}\n{"type":"agent_start"}\n` });
  const { code, stdout } = await run(["run", "--json", "--no-discover", "--hook", "gate.ts", "events.jsonl"]);
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { event: "tool_call", result: { block: true, reason: "no rm", hook: join(folder, "gate.ts") }, errors: [] },
    { event: "agent_start", result: null, errors: [] },
  ]);
});

test("run names lines that are not events, judges the others, and exits with 1", async () => {
  const { code, stdout, stderr } = await run(["run", "--no-discover", "--hook", "gate.ts"], `{oops\n${call("rm x")}`);
  expect(code).toBe(1);
  expect(stdout).toContain("blocked");
  expect(stderr).toContain("line 1 is no event");
});

test("without a terminal there is no person to ask: the hook gets null", async () => {
  const { stdout } = await run(["run", "--no-discover", "--hook", "gate.ts"], call("ask"));
  expect(stdout).toContain("blocked by");
  expect(stdout).toContain("null");
});

test("a missing hook blocks, and says so", async () => {
  const { code, stdout, stderr } = await run(["run", "--no-discover", "--hook", "gaet.ts"], call("ls"));
  expect(code).toBe(0);
  expect(stdout).toContain("blocked");
  expect(stderr).toMatch(/gaet\.ts: failed: .*no such file/);
});

test("a trusted hook runs without a sandbox", async () => {
  writeFiles(folder, {
    "mine.ts": onToolCall(
      "return { block: true, reason: `pid ${process.pid === Number(event.input.pid)} ${typeof process.env.PATH}` };",
    ),
  });
  const { stdout } = await run(["run", "--no-discover", "--trusted-hook", "./mine.ts"], call("ls"));
  expect(stdout).toContain("string");
});

test.each([
  [["rnu"], "unknown command", "\nrun cordon --help to see"],
  [["run", "--hok", "x"], "unknown option", "\nrun cordon run --help to see"],
  [["run", "--hook-timeout", "soon"], "milliseconds", "\nrun cordon run --help to see"],
  [["check"], "missing required argument", "\nrun cordon check --help to see"],
  [["policy", "check"], "missing required argument", "\nrun cordon policy check --help to see"],
  [["demo", "--interactive"], "needs a terminal", ""],
])("%j is wrong usage: exit code 2 and the right usage", async (args, text, help) => {
  const { code, stderr } = await run(args);
  expect([code, stderr.includes(text), stderr.includes(help)]).toEqual([2, true, true]);
});

test.each(["", " policy", " index", " daemon", " runtime"])(
  "cordon%s without a command of it is wrong usage, and lists them",
  async (group) => {
    const args = group.split(" ").slice(1);
    expect(await run(args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Commands:") });
    expect(await run([...args, "--help"])).toMatchObject({ code: 0, stderr: "" });
  },
);

test.each([
  "run gone",
  "run events.jsonl --grants gone",
  "run events.jsonl --cwd gone",
  "replay gone",
  "dev gone",
  "dev gate.ts --events gone --once",
  "check ./gone",
  "trace ./gone",
  "trace gate.ts --events gone",
  "policy check gone",
  "add ./gone --grant none",
  "index build gone --key gone --out index.json",
  "index build events.jsonl --key gone --out index.json",
  "report --cwd gone --out gone/report.html",
])("cordon %s: what is not there is a failure, and no wrong usage", async (line) => {
  writeFiles(folder, { "events.jsonl": call("ls") });
  const { code, stdout, stderr } = await run(line.split(" "));
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("gone");
  expect(existsSync(join(folder, "gone"))).toBe(false);
});

test("bad grants: one line with file and key, exit code 1", async () => {
  writeFiles(folder, { "grants.json": '{"version":1,"hooks":{},"extra":1}' });
  const { code, stderr } = await run(
    ["run", "--no-discover", "--hook", "gate.ts", "--grants", "grants.json"],
    call("ls"),
  );
  expect(code).toBe(1);
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/^cordon: .*grants\.json: unknown key "extra"; allowed: version, hooks \(BAD_GRANT\)$/),
  ]);
});

test("check prints what a hook hears, imports and requests, and what it would be refused", async () => {
  writeFiles(folder, {
    "hook.ts":
      'import { join } from "node:path";\nexport default (pi: any) => { pi.on("turn_start", async (_e: any, ctx: any) => { await ctx.exec("git", [join("a", "b")]); pi.send("x"); }); };',
    "hook.hook.json": '{"capabilities":{"exec":[{"program":"git","args":["status"]}]},"why":{"exec":"looks"}}',
  });
  const { code, stdout } = await run(["check", "hook.ts", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    state: "active",
    events: ["turn_start"],
    imports: ["node:path"],
    asks: { exec: [{ program: "git" }] },
    refusedUnlessGranted: ["exec", "send"],
  });
  expect((await run(["check", "hook.ts"])).stdout).toMatch(/hears +turn_start/);
});

test("check of a hook that cannot load names the import and its position, exit code 1", async () => {
  writeFiles(folder, { "bad.ts": 'import { connect } from "node:tls";\nexport default () => connect(1);\n' });
  const { code, stderr } = await run(["check", "bad.ts"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/bad\.ts:1:\d+: import "node:tls" cannot be offered/);
});

test("accept without a terminal refuses, and the project's hook stays pending", async () => {
  mkdirSync(join(folder, "project"));
  writeFiles(join(folder, "project"), { ".pi/hooks/gate.ts": GATE });
  const accepted = await run(["accept", "--cwd", "project"]);
  expect(accepted.code).toBe(1);
  expect(accepted.stderr).toContain("needs a terminal");
  const { stdout, stderr } = await run(["run", "--cwd", "project"], call("rm x"));
  expect(stdout).toContain("passed");
  expect(stderr).toContain("cordon accept");
});

test("restart lists the hooks here apart from those that only the audit knows", async () => {
  writeFiles(home, { "hooks/own.ts": GATE });
  await served(["ls"], { cwd: folder, home, flags: ["--no-discover", "--hook", "gate.ts"] });
  const { code, stderr } = await run(["restart", "nohook"]);
  expect([code, stderr]).toEqual([1, "cordon: no hook here is called nohook; there are: own; only on record: gate\n"]);
});

test("restart writes its request for running hosts", async () => {
  expect((await run(["restart", "gate.ts"])).code).toBe(0);
  const asked = JSON.parse(readFileSync(join(home, "restarts.json"), "utf8"));
  expect(asked).toEqual({ [join(folder, "gate.ts")]: expect.any(Number) });
});

test("doctor names the layers and the problems", async () => {
  mkdirSync(join(home, "agent", "hooks"), { recursive: true });
  const good = await run(["doctor"]);
  expect(good.code).toBe(0);
  expect(good.stdout).toContain("ok   runtime: Node 26");
  expect(good.stdout).toContain("native code in a sandbox: ");
  // What is only worth knowing fails with --strict alone: here, a grant that no hook has.
  writeFiles(home, { "grants.json": '{"version":1,"hooks":{"left-over":{}}}' });
  const noted = await run(["doctor"]);
  expect([noted.code, noted.stdout]).toEqual([0, expect.stringContaining("note grant left-over")]);
  const strict = await run(["doctor", "--strict"]);
  expect([strict.code, strict.stdout]).toEqual([1, noted.stdout]);
  expect(strict.stderr).toMatch(/^cordon: --strict: \d+ of \d+ findings fail: .*grant left-over\n$/);
  writeFiles(home, {
    "grants.json": '{"version":1,"hooks":{"/gone/hook.ts":{}}}',
    "agent/hooks/bad.ts": "export default 1;",
  });
  const bad = await run(["doctor", "--json"]);
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.stdout).findings.filter((finding: { ok: boolean }) => !finding.ok)).toEqual([
    expect.objectContaining({ what: "grant /gone/hook.ts", detail: expect.stringContaining("/gone/hook.ts") }),
    expect.objectContaining({
      what: "hook bad",
      detail: expect.stringContaining("default function"),
    }),
  ]);
});

test("the demo ends with every call judged and the agent intact", async () => {
  const { code, stdout } = await run(["demo", "--json"]);
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  // As docs/commands.md shows them.
  for (const line of lines) expect(Object.keys(line)).toEqual(["at", "subject", "verdict", "detail", "ms"]);
  const verdicts = Object.fromEntries(lines.map((line) => [line.subject, line.verdict]));
  expect(verdicts).toMatchObject({
    "bash ls": "passed",
    "bash rm -rf .": "blocked",
    "write .env": "blocked",
    "read settings.ini": "changed",
    "bash echo deploy": "blocked",
    "bash echo build": "blocked",
    "bash echo test": "blocked",
    "bash echo publish": "blocked",
    "bash echo still at work": "passed",
    "notes.md has its second version back": "done",
    "sandbox processes left: 0": "done",
  });
});

test.each([
  ['{"type":"tool_cal","toolName":"bash"}', 'no event "tool_cal"'],
  ['{"type":"tool_call"}', "toolName"],
  ["[1]", "each line must be a JSON object"],
])("run reports %s as an error, so that it does not seem to pass", async (line, text) => {
  const { code, stdout, stderr } = await run(["run", "--no-discover", "--hook", "gate.ts"], `${line}\n`);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(text);
});

test("run judges no event that is not UTF-8, and goes on with what is", async () => {
  const text = call("caf\u00e9");
  const input = Buffer.concat([Buffer.from(text), Buffer.from(text, "latin1"), Buffer.from("\n\u2028")]);
  const { code, stdout, stderr } = await run(["run", "--no-discover", "--hook", "gate.ts"], input);
  expect(code).toBe(1);
  expect(stdout.match(/passed/g)).toHaveLength(1);
  expect(stderr).toContain("line 2 is no event: not UTF-8");
  expect(stderr).toContain("line 4 is no event: not JSON");
});

test("run says when no hook heard an event", async () => {
  const { stdout } = await run(["run", "--no-discover"], call("ls"));
  expect(stdout).toContain("no hook heard it");
});

test.each([[["grant", "gate.ts", "exec"]], [["remove", "gate.ts"]]])(
  "%j changes nothing without a person",
  async (args) => {
    writeFiles(folder, { "gate.hook.json": '{"capabilities":{"exec":[{"program":"git","args":["status"]}]}}' });
    const grants = `${JSON.stringify({ version: 1, hooks: { [join(folder, "gate.ts")]: {} } })}\n`;
    writeFiles(home, {
      "grants.json": grants,
      "agent/settings.json": JSON.stringify({ hooks: [join(folder, "gate.ts")] }),
    });
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("this needs a terminal with a person at it, and nothing was changed; it asks: "),
    ]);
    expect(readFileSync(join(home, "grants.json"), "utf8")).toBe(grants);
  },
);

test.each([
  { args: ["exec"], code: 1, says: /the manifest of gate asks for no exec: say what to grant, as JSON/ },
  { args: ["fs", '{"read":["$CWD/**"]}'], code: 1, says: /this needs a terminal/ },
  { args: ["fs", '{"read":["src/**"]}'], code: 1, says: /grant fs: src\/\*\*: a file pattern starts with/ },
  { args: ["fs", '{"reads":[]}'], code: 1, says: /unknown key "reads"/ },
  { args: ["fs", "$CWD/**"], code: 2, says: /is not JSON/ },
])("a grant to a hook without a manifest is written as JSON: $args", async ({ args, code, says }) => {
  writeFiles(home, { "agent/settings.json": JSON.stringify({ hooks: [join(folder, "gate.ts")] }) });
  const done = await run(["grant", "gate.ts", ...args]);
  expect([done.code, done.stderr]).toEqual([code, expect.stringMatching(says)]);
});

test("every command that a refusal names exists", async () => {
  const { stdout } = await run(["--help"]);
  for (const name of ["accept", "grant", "remove", "restart", "runtime"])
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
});

test("a closed output ends the command without a stack trace", async () => {
  const child = startCordon(["doctor"], { cwd: folder, home });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdout.destroy();
  await new Promise((resolve) => child.on("close", resolve));
  expect(stderr).not.toContain("EPIPE");
});
