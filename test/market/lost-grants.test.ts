import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Machine } from "./world.ts";

const hook = (version: string): string =>
  `// ${version}\nexport default (pi: any) => { pi.on("tool_result", () => ({ content: [{ type: "text", text: "redacted" }] })); };\n`;

const OBSERVES = { events: { see: ["tool_result"], block: false } };
const REDACTS = { events: { see: ["tool_result"], block: false, guardResult: ["*"], rewriteResult: ["*"] } };

// biome-ignore format: a table
test.each<[what: string, before: object, now: object, lost: boolean]>([
  ["that never asks for what it was granted", { capabilities: OBSERVES }, { capabilities: OBSERVES }, true],
  ["that does not ask for it any more", { capabilities: OBSERVES, optional: REDACTS }, { capabilities: OBSERVES }, true],
  ["that still asks for it", { capabilities: OBSERVES, optional: REDACTS }, { capabilities: OBSERVES, optional: REDACTS }, false],
])("an update of a guard %s waits for a person if it would lose that", async (_what, before, now, lost) => {
  const machine = new Machine();
  const publish = (version: string, manifest: object) =>
    machine.package("gate", { version, cordon: { hooks: ["./index.ts"], ...manifest } }, { "index.ts": hook(version) });
  expect((await machine.add(publish("1.0.0", before), "events")).code).toBe(0);
  const path = join(machine.home, "grants.json");
  const grants = () => JSON.parse(readFileSync(path, "utf8"));
  // As `cordon grant gate events` leaves it.
  const granted = grants();
  Object.assign(granted.hooks.gate.capabilities, REDACTS);
  writeFileSync(path, JSON.stringify(granted));
  publish("2.0.0", now);
  const { stdout, code } = await machine.run(["update", "--json"]);
  const [{ outcome, change }] = JSON.parse(stdout).hooks;
  const unguarded = lost ? ['events: {"rewriteResult":["*"],"guardResult":["*"]}'] : [];
  expect([code, outcome, change.unguarded]).toEqual([lost ? 1 : 0, lost ? "pending" : "updated", unguarded]);
  expect(grants().hooks.gate.capabilities.events).toMatchObject({ guardResult: ["*"], rewriteResult: ["*"] });
});
