import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptOr } from "../../src/base/attempt.ts";
import { Terminal } from "../market/journey-terminal.ts";
import { Machine } from "../market/world.ts";
import { needs } from "../support/needs.ts";
import { writeFiles } from "../support/session.ts";
import { machineWithGate } from "./gate-machine.ts";

const hasTmux = attemptOr(() => execFileSync("tmux", ["-V"]) !== undefined, false);

/** A guard by its configuration, with a rule of its package's. */
const PLUGIN = `export default { id: "some", register(api) {
  api.on("before_tool_call", (event) => ({ block: api.pluginConfig.deny.includes(event.params.command), blockReason: "denied" }));
} };`;

test("a person configures a plugin of their own, also after its files changed", needs(!hasTmux && "tmux"), async () => {
  const machine = new Machine();
  const path = join(machine.home, "hooks", "some.ts");
  writeFiles(machine.home, {
    "hooks/openclaw.plugin.json": '{"configSchema":{"properties":{"deny":{"default":["rm"]}}}}',
    "hooks/some.ts": PLUGIN,
  });
  const terminal = await Terminal.open(machine);
  const answer = (command: string, key: "y" | "n", ...asked: string[]): Promise<string> =>
    terminal.run(command, async () => {
      for (const text of asked) await terminal.shows(text);
      terminal.press(key);
    });
  const said = async () => (await machine.verdicts("ls", "rm")).said;
  const entry = () => Object.values(machine.table("grants.json"))[0];
  expect(await said()).toEqual(["passed", "denied"]);

  const LS = `cordon grant some config '{"deny":["ls"]}'`;
  expect(await answer(LS, "n", 'Configure some with {"deny":["ls"]}?')).toContain("nothing was changed");
  expect(entry()).toBeUndefined();
  expect(await answer(LS, "y", "Configure some")).toContain("some is configured");
  expect([await said(), entry()]).toEqual([["denied", "passed"], { config: { deny: ["ls"] } }]);
  expect((await machine.run(["grant", "some", "config", '{"deny":["ls"]}'])).stderr).toContain(
    "is configured so already",
  );

  expect(await answer(`cordon grant some ui '["notify"]'`, "y", "Grant some this: ui")).toContain("granted ui");
  expect(entry()).toMatchObject({ config: { deny: ["ls"] }, digest: expect.any(String) });
  writeFileSync(path, `${PLUGIN}\n// changed`);
  expect(await said()).toEqual(["passed", "denied"]);
  expect((await machine.host()).told).toContain("and without its configuration,");
  // Granting anything to the new files keeps it.
  expect(await answer(`cordon grant some env '["CI"]'`, "y", "Grant some this: env")).toContain("granted env");
  expect([await said(), entry()]).toMatchObject([["denied", "passed"], { config: { deny: ["ls"] } }]);
  writeFileSync(path, PLUGIN);
  const both = `cordon grant some config '{"deny":["ls","rm"]}'`;
  await answer(both, "y", 'in place of {"deny":["ls"]}', "It has env no more");
  expect([await said(), entry()]).toEqual([["denied", "denied"], { config: { deny: ["ls", "rm"] } }]);
  const { stdout } = await machine.run(["audit", "--json", "--outcome", "configured"]);
  const values = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).value);
  expect(values).toEqual([undefined, undefined]);
});

test.each([
  [["grant", "gate", "config"], 2, "say with what, as JSON, as in cordon grant gate config"],
  [["grant", "gate", "config", "{"], 2, "{ is not JSON: a configuration looks as in cordon grant gate config"],
  [["grant", "gate", "config", "[]"], 1, "grant config"],
  [["grant", "gate", "config", "{}"], 1, "this needs a terminal with a person at it, and nothing was changed"],
  [["revoke", "gate", "config"], 2, "a configuration is no power; cordon grant gate config '{}' empties it"],
])("cordon %j", async (args, code, says) => {
  const machine = machineWithGate();
  expect(await machine.run(args as string[])).toMatchObject({ code, stderr: expect.stringContaining(says as string) });
  expect(machine.table("grants.json")).toEqual({});
});
