import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { entryScript } from "../../src/agents/command/entry-script.ts";
import { builtForHost } from "../../src/base/package-root.ts";
import { blockOf, World } from "./world.ts";

const world = new World({
  gate: `export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "judged" })); };`,
});

test("of many commands that find no daemon, one starts it, and the next one only half a second later", async () => {
  const [start, starts] = [join(world.folder, "start.mjs"), join(world.folder, "starts")];
  const real = pathToFileURL(builtForHost("cli", "start.js")).href;
  writeFileSync(
    start,
    `import { appendFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(starts)}, "+");
    await new Promise((resolve) => setTimeout(resolve, 1500)); // As on a machine with much to do.
    await import(${JSON.stringify(real)});`,
  );
  const { home, quick } = world;
  writeFileSync(
    world.script,
    entryScript({ ...{ home, quick, start }, node: process.execPath, shim: builtForHost("shim.mjs") }),
  );
  const begun = performance.now();
  const ended = await Promise.all(Array.from({ length: 40 }, () => world.bash("ls")));
  const took = performance.now() - begun;
  expect(ended.map(blockOf)).toEqual(Array(40).fill(expect.stringMatching(/judged$/)));
  // Two may look at the same moment.
  expect(readFileSync(starts, "utf8").length).toBeLessThanOrEqual(2 + took / 500);
});
