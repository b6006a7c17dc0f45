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

test("of many commands that find no daemon, one starts it, and each next one only after twice the time", async () => {
  const [start, starts] = [join(world.folder, "start.mjs"), join(world.folder, "starts")];
  const real = pathToFileURL(builtForHost("cli", "start.js")).href;
  writeFileSync(
    start,
    `import { appendFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(starts)}, "+");
    await new Promise((resolve) => setTimeout(resolve, 2500)); // As on a machine with much to do.
    await import(${JSON.stringify(real)});`,
  );
  const { home, quick } = world;
  writeFileSync(
    world.script,
    entryScript({ ...{ home, quick, start }, node: process.execPath, shim: builtForHost("shim.mjs") }),
  );
  const ended = await Promise.all(Array.from({ length: 24 }, () => world.bash("ls")));
  expect(ended.map(blockOf)).toEqual(Array(24).fill(expect.stringMatching(/judged$/)));
  // At once, and half a second, 1.5 and 3.5 seconds later; 7.5 seconds, where the first one is slow. Two may look at the same moment.
  expect(readFileSync(starts, "utf8").length).toBeLessThanOrEqual(6);
});
