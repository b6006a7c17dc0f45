import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { PART } from "../../sandbox/wire/part-files.ts";
import { built } from "../../src/base/package-root.ts";
import { writeFiles } from "../support/session.ts";
import { filesWith, hookFolder, startFolder } from "./hook-folder.ts";
import { lazily, MARKER, using, writeSecrets } from "./ways-out.ts";

/** Imports by the names of Cordon's own parts, which a build takes without asking. */

const NAME = `./${PART}x.js`;
const own = { [`${PART}x.js`]: "export default { secret: 'own' };" };
// biome-ignore format: a table
const ROWS: [what: string, files: Record<string, string>, link?: string][] = [
  ["a file of the hook's own", { ...using(`import secret from "${NAME}";`), ...own }],
  ["a link out of the folder", using(`import secret from "${NAME}";`), "secret.js"],
  ["a name with an escape", using(`import secret from "./\\u0063ordon-part-x.js";`), "secret.js"],
  ["a way back out of it", { ...using(`import secret from "./${PART}x/../../outside/secret.js";`), [`${PART}x/a.js`]: "" }],
  ["a folder, by its package.json", { ...using(`import secret from "./${PART}x";`), [`${PART}x/package.json`]: '{"main":"../../outside/secret.js"}' }],
  ["a second file's import", { ...using('import secret from "./second";'), "second.ts": `export { default } from "${NAME}";`, ...own }],
  ["a library's import", { ...using('import secret from "lib";'), "node_modules/lib/index.js": `export { default } from "${NAME}";`, [`node_modules/lib/${PART}x.js`]: "export default 1;" }],
  ["require", { ...using(`const secret = require("${NAME}");`), ...own }],
  ["createRequire", { ...using(`import { createRequire } from "node:module"; const secret = createRequire(import.meta.url)("${NAME}");`), ...own }],
  ["a dynamic import", { ...lazily(`import("${NAME}")`), ...own }],
  ["a way through it to a file of the hook's own", { ...using(`import secret from "./${PART}x/../a.js";`), [`${PART}x/b.js`]: "", "a.js": "export default 1;" }],
  ["a folder, by its package.json, to a file of the hook's own", { ...using(`import secret from "./${PART}x";`), [`${PART}x/package.json`]: '{"main":"../a.js"}', "a.js": "export default 1;" }],
  ["an import for its effect", { ...using(`import "${NAME}";`, "1"), ...own }],
];

test.each(ROWS)("%s", async (_what, files, link) => {
  const folder = hookFolder({});
  writeSecrets(folder);
  writeFiles(join(folder, "hook"), { "package.json": '{"name":"own"}', ...files });
  if (link !== undefined) symlinkSync(join(folder, "outside", link), join(folder, "hook", `${PART}x.js`));
  const session = await startFolder(folder);
  const { state, reason = "" } = session.hook();
  expect([state, reason]).toEqual([
    "failed",
    expect.stringMatching(/is refused: such names are|Could not resolve|lies outside the hook/),
  ]);
  expect(filesWith(join(folder, "home"), MARKER)).toEqual([]);
  expect(JSON.stringify([session.errors, session.log, session.host.hooks])).not.toContain(MARKER);
});

test("a pattern that leads to Cordon's own parts", async () => {
  const folder = hookFolder({});
  const parts = relative(join(folder, "hook"), built("modules"));
  writeFiles(join(folder, "hook"), {
    "package.json": '{"name":"own"}',
    ...lazily(`import(\`${parts}/${PART}\${pick("x")}.js\`)`),
  });
  const { state, reason } = (await startFolder(folder)).hook();
  expect([state, reason]).toEqual(["failed", expect.stringContaining("is refused: such names are those of Cordon's")]);
});
