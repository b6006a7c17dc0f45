import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptBlocks } from "../../src/audit/blocks.ts";
import { testHook } from "../../src/testing.ts";
import { calls } from "../market/world.ts";
import { factsIn } from "../support/audit-log.ts";
import { cordon, RpcAgent, served, startCordon } from "../support/command.ts";
import { onToolCall, scriptedUi, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** Blocks, uses a power that it has and one that it lacks, and tries to set the mark wherever a text of its own is written. */
const GATE = onToolCall(`
  const mark = '","trial":true,"x":"';
  try { require("node:fs").readFileSync("/etc/" + mark); } catch {}
  try { require("node:fs").readFileSync(process.cwd() + "/a.txt"); } catch {}
  (Object.prototype as any).trial = true;
  return { block: true, reason: "no" + mark, trial: true, monitor: true };
`);

/** A home whose user has this hook, and a recording. */
function machine() {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const gate = join(home, "hooks", "gate.ts");
  writeFiles(folder, { "home/hooks/gate.ts": GATE, "work/a.txt": "A" });
  const capabilities = { events: { see: ["*"], block: true }, fs: { read: ["$CWD/a.txt"] } };
  writeFiles(home, { "grants.json": JSON.stringify({ version: 1, hooks: { [gate]: { capabilities } } }) });
  const recording = join(folder, "session.jsonl");
  const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } };
  writeFileSync(
    recording,
    `${JSON.stringify({ ...event, recorded: { version: 1, at: "2026-01-31T00:00:00Z", verdict: null } })}\n`,
  );
  const work = join(folder, "work");
  const run = (args: string[], input = "") => cordon(args, { cwd: work, home, input });
  return { home, gate, recording, work, run };
}

test("whatever only tries or looks at hooks leaves marked lines, and nothing that counts", async () => {
  const { home, gate, recording, work, run } = machine();
  const commands: [string[], string?][] = [
    [["run"], calls("ls")],
    [["replay", recording]],
    [["check", gate]],
    [["trace", gate]],
    [["dev", gate, "--once"]],
    [["list"]],
    [["doctor"]],
  ];
  for (const [args, input] of commands) {
    const before = factsIn(home).length;
    await run(args, input);
    const lines = factsIn(home).slice(before);
    expect(lines.length, args.join(" ")).toBeGreaterThan(0);
    expect(
      lines.filter(({ trial }) => trial !== true),
      args.join(" "),
    ).toEqual([]);
  }
  const trials = factsIn(home);
  expect(trials.some(({ outcome }) => outcome === "block")).toBe(true);
  expect(keptBlocks(home)).toEqual([]);
  // Nobody was asked.
  expect(trials.filter(({ outcome }) => outcome.startsWith("consent"))).toEqual([]);

  const blocks = trials.filter(({ outcome }) => outcome === "block").length;
  const told = (blocks: number | string): RegExp =>
    new RegExp(
      `^\\w+ (?:call was blocked|blocked no call) yet in a session; ${blocks} blocks in trials, as by cordon run: cordon audit --outcome block\n$`,
    );
  expect((await run(["audit"])).stdout.match(/\(trial\)/g)).toHaveLength(trials.length);
  expect((await run(["audit", "--no-trials"])).stdout).toBe("");
  expect((await run(["why"])).stdout).toMatch(told(blocks));
  expect((await run(["why", "gate"])).stdout).toMatch(
    told(trials.filter(({ hook, outcome }) => hook === gate && outcome === "block").length),
  );
  const [listed] = JSON.parse((await run(["list", "--json"])).stdout).hooks;
  expect(listed).not.toHaveProperty("lastBlock");
  expect(listed).not.toHaveProperty("lastUse");
  const report = JSON.parse((await run(["report", "--json"])).stdout);
  expect(report.summary).toMatchObject({ answers: 0, blocked: 0, used: 0, refused: 0 });
  expect([report.sessions, report.record.linesInPeriod, report.record.trials > 0]).toEqual([[], 0, true]);
  const printed = (await run(["audit"])).stdout.trimEnd().split("\n");
  expect(printed.filter((line) => !line.includes(" (trial) "))).toEqual([]);

  // A session with an agent counts.
  await served(["ls"], { cwd: work, home });
  const real = factsIn(home).filter(({ trial }) => trial === undefined);
  expect(real.map(({ outcome }) => outcome).sort()).toEqual(["NOT_GRANTED", "allowed", "block", "built"]);
  expect((await run(["why"])).stdout).toContain("hook gate blocked bash");
  const after = JSON.parse((await run(["report", "--json"])).stdout);
  expect(after.summary).toMatchObject({ answers: 1, blocked: 1, used: 1, refused: 1 });
});

test("no program over JSON-RPC sets the mark", async () => {
  const { home, gate, work } = machine();
  const rpc = new RpcAgent(startCordon(["serve", "--no-discover", "--hook", gate], { cwd: work, home }));
  const { error } = await rpc.request("initialize", { protocolVersion: 1, cwd: work, trial: true });
  expect(error?.code).toBe(-32602);
});

test("the kit for tests marks its lines; what a person decides for longer in a trial has no mark", async () => {
  const { gate } = machine();
  await using kit = await testHook(gate);
  await kit.call("bash", { command: "ls" });
  expect((await kit.host.audit()).every(({ trial }) => trial === true)).toBe(true);

  const { host, audit } = await startSession(
    { gate: onToolCall("") },
    { trial: true, ui: scriptedUi(), consent: () => "always" },
  );
  await host.grant("gate", "env", ["CI"]);
  expect(audit.map(({ outcome, trial }) => [outcome, trial])).toEqual([
    ["built", true],
    ["consent: always", true],
    ["granted", undefined],
  ]);
});

test("the kit for tests refuses an option that it does not have", async () => {
  const { gate } = machine();
  await expect(testHook(gate, { grants: {} } as object)).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: "testHook: unknown option grants; did you mean grant?",
  });
});

test.each([undefined, ""])("the kit for tests refuses %j as the path of a hook", async (path) => {
  await expect(testHook(path as never)).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: "testHook: the path of the hook must be a text",
  });
});

test("the kit for tests refuses a folder that is not there, and takes one from where it runs", async () => {
  const { gate, work } = machine();
  await expect(testHook(gate, { cwd: join(work, "none") })).rejects.toMatchObject({
    code: "BAD_GRANT",
    message: `testHook: there is no folder ${join(work, "none")} (cwd)`,
  });
  await using hook = await testHook(gate, { cwd: "." });
  expect(hook.host.hooks[0]?.state).toBe("active");
});
