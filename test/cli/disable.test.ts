import { execFileSync } from "node:child_process";
import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { Machine } from "../market/world.ts";
import { RpcAgent, startCordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, writeFiles } from "../support/session.ts";
import { machineWithGate } from "./gate-machine.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

test("a person disables a hook everywhere or here, and enables it again", needs(!hasTmux && "tmux"), async () => {
  const machine = machineWithGate();
  const folder = realpathSync(machine.work);
  const terminal = await Terminal.open(machine);
  const decide = (command: string, question: string, key: "y" | "n" | "C-c" | "C-d" = "y"): Promise<string> =>
    terminal.run(command, async () => {
      await terminal.shows(question);
      terminal.press(key);
    });
  const states = async () => {
    const { hooks } = await machine.json<{ hooks: { state: string }[] }>(["list"]);
    return [hooks.map(({ state }) => state), (await machine.verdicts("rm")).said];
  };

  for (const key of ["n", "C-c", "C-d"] as const) {
    const screen = await decide("cordon disable gate", "Disable gate in all projects?", key);
    expect(screen).toContain("nothing was changed");
    expect(screen.replace(/\s+/g, " ")).toContain("It may block tool calls");
  }
  expect(await decide("cordon disable gate", "Disable gate in all projects?")).toContain("cordon enable gate runs it");
  expect(await states()).toEqual([["disabled"], ["passed"]]);
  expect((await machine.run(["doctor"])).stdout).toContain("hook gate: disabled: it does not run");
  expect((await machine.run(["check", "gate"])).stdout).toMatch(/state +loads/);
  for (const [command, says] of [
    ["disable gate", "gate is disabled in all projects already"],
    ["disable gate --project", "gate is disabled in all projects already"],
    ["enable gate --project", "gate is disabled in all projects; run: cordon enable gate"],
  ])
    expect((await machine.run((command as string).split(" "))).stderr).toContain(says);
  expect(await decide("cordon enable gate", "Enable gate in all projects")).toContain("gate is enabled");
  expect(await states()).toEqual([["active"], ["no rm"]]);

  await decide("cordon disable gate --project", `Disable gate in`);
  expect(await states()).toEqual([["disabled"], ["passed"]]);
  expect((await machine.run(["enable", "gate", "--project", "--cwd", machine.folder])).stderr).toContain(
    `gate is not disabled in ${machine.folder}`,
  );
  expect((await machine.run(["disable", "gate", "--project"])).stderr).toContain(`is disabled in ${folder} already`);
  await decide("cordon enable gate --project", "Enable gate in");
  expect(await states()).toEqual([["active"], ["no rm"]]);
});

test.each([
  ["without a terminal nobody disables", ["disable", "gate"], "this needs a terminal with a person at it"],
  ["nor for a project", ["disable", "gate", "--project"], "this needs a terminal with a person at it"],
  ["what runs is not enabled", ["enable", "gate"], "gate is not disabled"],
  ["a name that nobody has", ["disable", "gates"], "no hook here is called gates; did you mean gate?"],
])("%s", async (_name, args, says) => {
  const { code, stderr } = await machineWithGate().run(args);
  expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^cordon: ${says.replace("?", "\\?")}.*\n$`))]);
});

test.each([
  [true, " It may block tool calls: they run without it."],
  [false, ""],
])("the question says what goes on without the hook, where it may block: %j", async (block, more) => {
  const machine = machineWithGate();
  const gate = `${machine.home}/hooks/gate.ts`;
  const hooks = { [gate]: { capabilities: { events: { see: ["tool_call"], block } } } };
  writeFiles(machine.home, { "grants.json": JSON.stringify({ version: 1, hooks }) });
  const { stderr } = await machine.run(["disable", "gate"]);
  expect(stderr).toMatch(new RegExp(`it asks: Disable gate in all projects\\?${more}\n$`));
});

test("a hook that an organisation requires is not disabled", async () => {
  const machine = machineWithGate();
  writeFiles(machine.folder, {
    "policy.json": JSON.stringify({ version: 1, required: [`${machine.home}/hooks/gate.ts`] }),
  });
  const { code, stderr } = await machine.run(["disable", "gate"], {
    env: { CORDON_POLICY: `${machine.folder}/policy.json` },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("required by your organisation's policy")]);
});

test("a guard that only a program names is shown as disabled", async () => {
  const machine = new Machine();
  const gate = machine.file("gate.ts", onToolCall(""));
  const { code, shown } = await atTerminal(machine, ["disable", gate], [[/Disable/, "y"]]);
  expect(code, shown).toBe(0);
  expect((await machine.run(["doctor"])).stdout).toContain(
    `note hook gate: disabled, wherever an agent names it; run: cordon enable ${gate}\n`,
  );
  const { hooks } = await machine.json<{ hooks: { id: string; state: string }[] }>(["report"]);
  expect(hooks).toMatchObject([{ id: gate, state: "disabled" }]);
});

test("a guard that blocks a running session is disabled by its file, also when that is gone", async () => {
  const machine = new Machine();
  writeFiles(machine.home, { "hooks/gate.ts": "export default function (pi { }" });
  const gate = join(realpathSync(machine.home), "hooks", "gate.ts");
  const rpc = new RpcAgent(startCordon(["serve"], { cwd: machine.work, home: machine.home, env: machine.env }));
  await rpc.request("initialize", { protocolVersion: 1, cwd: machine.work });
  const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } };
  const verdict = async () => (await rpc.request("emit", { event })).result;
  const blocked = { result: { block: true, reason: expect.stringContaining(`cordon disable ${gate}`) } };
  expect(await verdict()).toMatchObject(blocked);
  rmSync(gate);
  expect(await verdict()).toMatchObject(blocked);
  expect((await machine.run(["why"])).stdout).toContain(`cordon disable ${gate}: goes on without it`);
  const never = join(machine.home, "hooks", "never.ts");
  expect((await machine.run(["disable", never])).stderr).toContain(`no hook here is called ${never}`);
  const { code, shown } = await atTerminal(machine, ["disable", gate], [[/Disable/, "y"]]);
  expect(code, shown).toBe(0);
  expect(await verdict()).toEqual({ result: null, errors: [] });
  expect((await atTerminal(machine, ["enable", "gate"], [[/Enable/, "y"]])).shown).toContain("gate is enabled");
  await rpc.request("shutdown");
});
