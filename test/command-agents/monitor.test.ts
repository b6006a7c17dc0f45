import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { cordon } from "../support/command.ts";
import { onToolCall } from "../support/session.ts";
import { blockOf, World } from "./world.ts";

const world = new World({
  gate: onToolCall('if (event.input.command?.includes("rm")) return { block: true, reason: "no rm" };'),
  asks: onToolCall(
    'if (event.input.command === "sudo" && !(await ctx.ui.confirm("As root?", "sudo"))) return { block: true };',
  ),
});
const record = join(world.home, "agents.json");

/** What a person entered: agents, and whether their hooks only monitor. */
const enter = (...agents: object[]): void =>
  writeFileSync(record, JSON.stringify({ version: 1, agents: agents.map((one) => ({ at: "", files: [], ...one })) }));

const only = "Cordon only monitors here";
const would = `${only}; hook ${world.hook("gate")} would have blocked this call: no rm`;

beforeEach(() => rmSync(record, { force: true }));

describe("an agent whose hooks only monitor", () => {
  test("runs what they would have blocked, and says so to the person alone", async () => {
    enter({ agent: "claude-code", monitor: true });
    const { exit, stdout, stderr } = await world.bash("rm x");
    expect([exit, JSON.parse(stdout), stderr]).toEqual([0, { systemMessage: would }, `${would}\n`]);
  });

  test.each([
    ["claude-code", "PreToolUse", { systemMessage: only }],
    ["codex", "PreToolUse", { systemMessage: only }],
    ["qwen-code", "PreToolUse", { systemMessage: only }],
    ["goose", "PreToolUse", undefined],
  ])("every answer of %s says it, and beside it decides nothing", async (agent, name, json) => {
    enter({ agent, monitor: true });
    const { exit, stdout, stderr } = await world.run(agent, name, world.event(name, agent, "Other", {}));
    expect([exit, stdout === "" ? undefined : JSON.parse(stdout), stderr]).toEqual([0, json, `${only}\n`]);
  });

  test("puts no question to the person for a call that runs", async () => {
    enter({ agent: "claude-code", monitor: true });
    const { stdout } = await world.bash("sudo");
    expect(JSON.parse(stdout)).toEqual({ systemMessage: expect.stringContaining("would have blocked") });
  });

  test("blocks again within the session as soon as the person wants it", async () => {
    enter({ agent: "claude-code", monitor: true });
    expect(blockOf(await world.bash("rm x").then((ended) => ({ ...ended, stdout: "" })))).toBeUndefined();
    enter({ agent: "claude-code" });
    expect(blockOf(await world.bash("rm x"))).toContain("no rm");
  });

  test("an event that cannot be judged is blocked as ever", async () => {
    enter({ agent: "claude-code", monitor: true });
    expect(await world.run("claude-code", "PreToolUse", "{")).toMatchObject({ exit: 2 });
  });

  test("shows in the daemon's status and in the audit", async () => {
    enter({ agent: "claude-code", monitor: true });
    await world.bash("rm audited");
    const at = { cwd: world.work, home: world.home };
    expect((await cordon(["daemon", "status"], at)).stdout).toContain("monitor    claude-code: nothing is blocked");
    const { stdout } = await cordon(["audit", "--outcome", "would block"], at);
    expect(stdout).toContain("would block (monitored)");
    const { stdout: json } = await cordon(["audit", "--outcome", "would block", "--json"], at);
    expect(JSON.parse(json.trim().split("\n").at(-1) ?? "")).toMatchObject({ outcome: "would block", monitor: true });
  });
});

/** What does not turn it on. */
const OTHERWISE: [what: string, agents: object[], way?: object][] = [
  ["another agent's mode", [{ agent: "codex", monitor: true }, { agent: "claude-code" }]],
  ["another project's", [{ agent: "claude-code", monitor: true, project: "/other" }]],
  ["one of two entries", [{ agent: "claude-code" }, { agent: "claude-code", monitor: true, project: world.work }]],
  ["a variable", [{ agent: "claude-code" }], { env: { CORDON_MONITOR: "1", MONITOR: "true" } }],
  ["a false one", [{ agent: "claude-code", monitor: false }]],
];

test.each(OTHERWISE)("%s does not turn on monitor mode for this agent", async (_what, agents, way = {}) => {
  enter(...agents);
  expect(blockOf(await world.bash("rm x", "one", way))).toContain("no rm");
});

test("what is written while a session is open does not turn it on there, but in the next one", async () => {
  enter({ agent: "claude-code" });
  expect(blockOf(await world.bash("rm x", "open"))).toContain("no rm");
  enter({ agent: "claude-code", monitor: true });
  expect(blockOf(await world.bash("rm x", "open"))).toContain("no rm");
  expect(await world.bash("rm x", "next")).toMatchObject({ exit: 0, stderr: `${would}\n` });
});

test("a record that is cut off, or none, turns it off", async () => {
  enter({ agent: "claude-code", monitor: true });
  await world.bash("ls");
  writeFileSync(record, readFileSync(record, "utf8").slice(0, -1));
  expect(blockOf(await world.bash("rm x"))).toContain("no rm");
  rmSync(record);
  expect(blockOf(await world.bash("rm x"))).toContain("no rm");
});

test("a file of the project of the same name turns nothing on", async () => {
  enter({ agent: "claude-code" });
  const text = JSON.stringify({ version: 1, agents: [{ agent: "claude-code", at: "", files: [], monitor: true }] });
  for (const path of ["agents.json", ".cordon-agents.json"]) writeFileSync(join(world.work, path), text);
  expect(blockOf(await world.bash("rm x"))).toContain("no rm");
});
