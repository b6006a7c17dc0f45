import { rmSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { Terminal } from "./journey-terminal.ts";
import { asks, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

const READING = `import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
export default function (pi: any) {
  pi.on("tool_call", async () => {
    return { block: true, reason: readFileSync(fileURLToPath(new URL("./reason.md", import.meta.url)), "utf8") };
  });
}
`;

test("a project's hook that carries files of its package is accepted by others as it was proposed", async () => {
  const world = await World.make();
  const files = { "index.ts": READING, "reason.md": "as it is written" };
  world.registry.publish({ name: "gate", version: "1.0.0", files, json: asks({}) });
  const added = await world.run(["add", "gate", "--project", "--grant", "none"]);
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect((await world.verdicts("ls")).said).toEqual(["as it is written"]);
  // Another person, who has the project alone.
  rmSync(world.home, { recursive: true });
  const terminal = await Terminal.open(world);
  const shown = await terminal.run("cordon accept", async () => {
    await terminal.shows("Accept gate?");
    terminal.press("Down", "Enter");
  });
  expect(shown).toContain("accepted gate without powers");
  expect((await world.verdicts("ls")).said).toEqual(["as it is written"]);
});
