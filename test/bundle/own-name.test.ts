import { expect, test } from "vitest";
import { writeFiles } from "../support/session.ts";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";

const own = (name: string, exports: unknown, from: string) => ({
  "package.json": JSON.stringify({ name, exports }),
  "index.ts": answering("said", `import { said } from "${from}";`),
  "lib/said.ts": 'export const said = "by its own name";',
});

/** Beside the folder, and called as it: not its own. */
const BESIDE = { "hook.ts": 'export const said = "from outside";', "hook.js": 'export const said = "from outside";' };

function start(files: Record<string, string>) {
  const folder = hookFolder(files);
  writeFiles(folder, BESIDE);
  return startFolder(folder);
}

test.each([
  ["by its name", own("self", "./lib/said.ts", "self"), "by its own name"],
  ["by a name with a scope", own("@x/self", { ".": "./lib/said.ts" }, "@x/self"), "by its own name"],
  ["by a part of it", own("@x/self", { "./said": "./lib/said.ts" }, "@x/self/said"), "by its own name"],
])("a package imports itself %s", async (_what, files, said) => {
  const session = await start(files);
  expect(session.hook()).toMatchObject({ state: "active" });
  expect(await session.reason()).toBe(JSON.stringify(said));
});

test.each([
  ["what it does not export", own("self", { "./other": "./lib/said.ts" }, "self")],
  ["what lies beside its folder", own("self", "../hook.ts", "self")],
  ["a file beside it, by its path", own("self", "./lib/said.ts", "../hook")],
])("it does not import %s", async (_what, files) => {
  const session = await start(files);
  expect(session.hook()).toMatchObject({ state: "failed" });
  expect(JSON.stringify([session.errors, await session.reason()])).not.toContain("from outside");
});
