import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { changeGrant } from "../../src/store/grants-file.ts";
import { writeFiles } from "../support/session.ts";
import { remove } from "./hostile-terminal.ts";
import { asks, GATE, Machine } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

test("a project that proposes a hook of the same name does not keep a person from removing their own", async () => {
  const machine = new Machine();
  const folder = machine.package("gate", asks(), { "index.ts": GATE });
  const file = join(folder, "index.ts");
  await machine.install(folder);
  const { gate } = machine.table("hooks.lock");
  await remove(machine, "gate");
  expect(machine.names()).toMatchObject({ lock: [], grants: [] });
  // Now it is a hook of the person's settings, by the name of its package.
  writeFiles(machine.home, { "agent/settings.json": JSON.stringify({ hooks: [file] }) });
  const proposal = { ...gate, source: "npm:gate" };
  writeFiles(machine.work, { ".cordon/hooks.lock": JSON.stringify({ version: 1, hooks: { gate: proposal } }) });
  for (const key of ["gate", file]) {
    changeGrant(join(machine.home, "grants.json"), key, () => ({ capabilities: { env: ["GATE_WORD"] } }));
    const { code, shown } = await remove(machine, "gate", { PI_CODING_AGENT_DIR: join(machine.home, "agent") });
    expect([code, shown.replace(/[\s│]+/g, " ")]).toEqual([0, expect.stringContaining("the hook stays")]);
    expect(machine.table("grants.json"), "what was granted is gone, as it says").toEqual({});
  }
});
