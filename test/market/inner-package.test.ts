import { beforeEach, expect, test, vi } from "vitest";
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
