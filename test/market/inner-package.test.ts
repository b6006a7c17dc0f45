import { chmodSync, writeFileSync } from "node:fs";
import { beforeEach, expect, test, vi } from "vitest";
import { filesWith } from "../bundle/hook-folder.ts";
import { World } from "./world.ts";

vi.setConfig({ testTimeout: 600_000 });

/** Hooks below the folder of their package: what is accepted is what runs. */

let world: World;
beforeEach(async () => {
  world = await World.make();
});

const GATE = `(event: any) => (event.input ?? event.params).command === "rm" ? { block: true, reason: "no rm", blockReason: "no rm" } : undefined`;
const HELP = { "lib/help.ts": "export const event = 'tool_call';" };
const MAIN = `import { event } from "../lib/help.ts";\nexport default (pi: any) => { pi.on(event, ${GATE}); };`;
const PLUGIN = `export default { id: "p", register(api: any) { api.on("before_tool_call", ${GATE}); } };`;

test.each<[what: string, json: Record<string, unknown>, files: Record<string, string>]>([
  [
    "the main file of a package with a keyword",
    { keywords: ["pi-package"], main: "src/index.ts" },
    { ...HELP, "src/index.ts": MAIN },
  ],
  ["one that pi's key names", { pi: { extensions: ["./src/index.ts"] } }, { ...HELP, "src/index.ts": MAIN }],
  [
    "one in a package of its own within it",
    { openclaw: { extensions: ["./inner/index.ts"] } },
    { "inner/index.ts": PLUGIN, "inner/package.json": '{"name":"inner","openclaw":{"extensions":["./index.ts"]}}' },
  ],
  [
    "one in a folder that says how its files are read",
    { openclaw: { extensions: ["./dist/index.ts"] } },
    { "dist/index.ts": PLUGIN, "dist/package.json": '{"type":"module"}' },
  ],
])("%s", async (_what, json, files) => {
  world.registry.publish({ name: "some", version: "1.0.0", files, json });
  await world.install("some");
  expect((await world.verdicts("ls", "rm")).said).toEqual(["passed", "no rm"]);
});

test("a guard that reads its rules from its package, needs no power for that, and keeps them when the file is changed", async () => {
  const reads = `const RULE = readFileSync(new URL("../rules/first.txt", import.meta.url), "utf8");`;
  const judges = `(event: any) => event.input.command === RULE ? { block: true, reason: "no " + RULE } : undefined`;
  const gate = `import { readFileSync } from "node:fs";\n${reads}\nexport default (pi: any) => { pi.on("tool_call", ${judges}); };`;
  world.registry.publish({
    name: "some",
    version: "1.0.0",
    files: { "src/index.ts": gate, "rules/first.txt": "rm" },
    json: { pi: { extensions: ["./src/index.ts"] } },
  });
  await world.install("some");
  expect(await world.verdicts("ls", "rm")).toEqual({ said: ["passed", "no rm"], codes: [] });
  const [rules] = filesWith(world.home, "rm").filter((path) => path.endsWith("/rules/first.txt")) as [string];
  chmodSync(rules, 0o600);
  writeFileSync(rules, "nothing");
  expect((await world.verdicts("ls", "rm")).said).toEqual(["passed", "no rm"]);
});
