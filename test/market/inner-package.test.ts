import { chmodSync, globSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { recordOf } from "../../src/grants/build-record.ts";
import { buildStaged } from "../../src/market/stage.ts";
import type { LockEntry } from "../../src/store/hooks-lock.ts";
import { commit, readInstalled } from "../../src/store/journal.ts";
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

/** A package with a guard that reads the command it blocks from one of its files. */
const READS_RULE = {
  name: "some",
  version: "1.0.0",
  files: {
    "src/index.ts": `import { readFileSync } from "node:fs";
const RULE = readFileSync(new URL("../rules/first.txt", import.meta.url), "utf8");
export default (pi: any) => { pi.on("tool_call", (event: any) => event.input.command === RULE ? { block: true, reason: "no " + RULE } : undefined); };`,
    "rules/first.txt": "rm",
  },
  json: { pi: { extensions: ["./src/index.ts"] } },
};

/** The folder of the installed package. */
const installed = (): string =>
  dirname(dirname(filesWith(world.home, "rm").find((path) => path.endsWith("/rules/first.txt")) as string));

/** What a person or an agent did in that folder. */
const DONE: readonly [what: string, act: (folder: string) => void][] = [
  ["the file is changed", (folder) => writeFileSync(join(folder, "rules/first.txt"), "nothing")],
  ["the file is removed", (folder) => rmSync(join(folder, "rules/first.txt"))],
  ["a file comes beside it", (folder) => writeFileSync(join(folder, "rules/second.txt"), "")],
  ["a link comes into the folder", (folder) => symlinkSync("index.ts", join(folder, "src/link"))],
];

test.each(DONE)(
  "a guard that reads its rules from its package needs no power for that, and keeps them when %s",
  async (_what, act) => {
    world.registry.publish(READS_RULE);
    await world.install("some");
    expect(await world.verdicts("ls", "rm")).toEqual({ said: ["passed", "no rm"], codes: [] });
    const folder = installed();
    for (const path of [folder, ...globSync(`${folder}/**`)]) chmodSync(path, 0o700);
    act(folder);
    expect((await world.verdicts("ls", "rm")).said).toEqual(["passed", "no rm"]);
  },
);

test("what was installed before bundles carried files is as it was: it needs the power", async () => {
  world.registry.publish(READS_RULE);
  await world.install("some");
  // Its accepted form is not kept, which would go on in its place.
  const [staged] = await buildStaged(process.execPath, installed(), "some", "src/index.ts", false);
  const { carries, ...entry } = readInstalled(world.home).get("some") as LockEntry;
  expect([carries, staged.carries]).toEqual([true, false]);
  commit(world.home, (all, grants) => {
    all.set("some", { ...entry, digest: staged.digest, bundle: { ...recordOf(staged), hears: ["tool_call"] } });
    grants.set("some", { ...grants.get("some"), digest: staged.digest });
  });
  const [said] = (await world.verdicts("ls")).said;
  expect(said).toMatch(/was not granted fs: read .*first\.txt/);
});
