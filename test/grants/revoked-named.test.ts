import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HookHost } from "../../src/host/host.ts";
import { atTerminal } from "../market/hostile-terminal.ts";
import { Machine } from "../market/world.ts";
import { onToolCall, scriptedUi, writeFiles } from "../support/session.ts";

const EXEC = [{ program: "id", args: ["-u"], fullAccess: true }];

/** A machine with a hook in a package that the agent's settings name by its path: an entry may have either name. */
function machineWithPackage(entries: (path: string) => object = () => ({})) {
  const machine = new Machine();
  const path = join(machine.folder, "from", "gate", "index.ts");
  writeFiles(machine.folder, {
    "from/gate/package.json": JSON.stringify({
      name: "gate",
      version: "1.0.0",
      cordon: { hooks: ["./index.ts"], capabilities: { exec: EXEC } },
    }),
    "from/gate/index.ts": onToolCall('await pi.exec("id", ["-u"]); return { block: true, reason: "ran" };'),
    "home/agent/settings.json": JSON.stringify({ hooks: [path] }),
    "home/grants.json": JSON.stringify({ version: 1, hooks: entries(path) }),
  });
  const person = (line: string, answers: [RegExp, string][]) =>
    atTerminal(machine, line, answers, { PI_CODING_AGENT_DIR: join(machine.home, "agent") });
  const listed = async () => (await machine.json<{ hooks: { state: string; powers: string[] }[] }>(["list"])).hooks[0];
  const grantEnv = (cwd = machine.work) =>
    person(`cd '${cwd}'; cordon grant gate env '["CI"]'`, [[/Grant gate this/, "y"]]);
  const kept = (): string[] => Object.keys(JSON.parse(readFileSync(join(machine.home, "grants.json"), "utf8")).hooks);
  return { machine, person, listed, grantEnv, kept };
}

test("a power that was revoked is not given back by a grant of another", async () => {
  const { machine, listed, grantEnv, kept } = machineWithPackage();
  expect((await machine.run(["revoke", "gate", "ui"])).code).toBe(0);
  await grantEnv();
  expect((await listed())?.powers.toSorted()).toEqual(["env", "events"]);
  expect(kept()).toHaveLength(1);
});

test("nor by an answer for always", async () => {
  const { machine, listed, kept } = machineWithPackage();
  expect((await machine.run(["revoke", "gate", "ui"])).code).toBe(0);
  const host = await HookHost.start({
    cwd: machine.work,
    home: machine.home,
    agentDir: join(machine.home, "agent"),
    ui: scriptedUi(),
    hasUI: true,
    consent: () => "always",
  });
  await host.emitToolCall(
    { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } },
    { canRun: () => true },
  );
  await host.close();
  expect((await listed())?.powers.toSorted()).toEqual(["events", "exec"]);
  expect(kept()).toHaveLength(1);
});

test("a hook that is disabled in one project stays so when it is granted a power from another", async () => {
  const { machine, person, listed, grantEnv } = machineWithPackage();
  await person("cordon disable gate --project", [[/Disable gate/, "y"]]);
  expect(await listed()).toMatchObject({ state: "disabled" });
  await grantEnv(machine.folder);
  expect(await listed()).toMatchObject({ state: "disabled" });
});

test("what was granted to a hook by its path is gone when its entry is revoked, or removed", async () => {
  const { machine, listed, grantEnv, kept } = machineWithPackage((path) => ({
    [path]: { capabilities: { events: { see: ["*"], block: true }, exec: EXEC } },
  }));
  expect((await listed())?.powers).toContain("exec");
  await grantEnv();
  expect((await listed())?.powers.toSorted()).toEqual(["env", "exec"]);
  expect((await machine.run(["revoke", "gate", "exec"])).code).toBe(0);
  expect((await listed())?.powers.toSorted()).toEqual(["env"]);
  expect(kept()).toHaveLength(1);
});

test("entries by both names are removed together", async () => {
  const entry = { capabilities: { events: { see: ["*"], block: true }, env: ["CI"] } };
  const { person, listed, kept } = machineWithPackage((path) => ({ gate: entry, [path]: entry }));
  expect((await listed())?.powers).toContain("env");
  await person("cordon remove gate", [[/Remove what was granted/, "y"]]);
  expect(kept()).toEqual([]);
  expect((await listed())?.powers).not.toContain("env");
});
