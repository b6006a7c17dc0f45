import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildHook } from "../../src/bundle/build.ts";
import { digestOf } from "../../src/bundle/digest.ts";
import { writeFiles } from "../support/session.ts";
import { answering, hookFolder } from "./hook-folder.ts";

const DEP = {
  "index.ts": answering("said", 'import said from "dep";'),
  "node_modules/dep/package.json": '{ "name": "dep", "main": "one.js" }',
  "node_modules/dep/one.js": 'module.exports = "one";',
  "node_modules/dep/two.js": 'module.exports = "two";',
};
const INTEROP = {
  "index.ts": answering("[said, cjs]", 'import { said } from "./lib/said.js"; import cjs from "./old.cjs";'),
  "lib/said.js": 'import cjs from "../old.cjs"; export const said = JSON.stringify(cjs);',
  "old.cjs": 'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "default";',
};
const PATTERN = {
  "index.ts": answering("(await import(`./rules/${['a'][0]}.json`)).default", ""),
  "rules/a.json": '{ "a": 1 }',
};

/** Files above a hook's folder, and files of the hook that they might affect. */
const ABOVE: [name: string, own: Record<string, string>, above: Record<string, string>][] = [
  [
    "sideEffects: false",
    { "index.ts": answering("globalThis.rule", 'import "./rule";'), "rule.ts": "(globalThis as any).rule = 1;" },
    { "package.json": '{ "sideEffects": false }' },
  ],
  [
    "sideEffects of some files",
    { "index.ts": answering("globalThis.rule", 'import "./rule";'), "rule.ts": "(globalThis as any).rule = 1;" },
    { "package.json": '{ "sideEffects": ["./hook/index.ts"] }' },
  ],
  ["type: module", INTEROP, { "package.json": '{ "type": "module" }' }],
  ["type: commonjs", INTEROP, { "package.json": '{ "type": "commonjs" }' }],
  [
    "the name and the exports of a dependency",
    DEP,
    { "package.json": '{ "name": "dep", "exports": "./hook/node_modules/dep/two.js" }' },
  ],
  ["a package with the same name", DEP, { "node_modules/dep/index.js": 'module.exports = "above";' }],
  [
    "a part that the dependency lacks",
    { ...DEP, "index.ts": answering("said", 'let said = "none"; try { said = require("dep/three"); } catch {}') },
    { "node_modules/dep/three.js": 'module.exports = "three";' },
  ],
  [
    "a browser map",
    { "index.ts": answering("a", 'import { a } from "./a";'), "a.ts": "export const a = 1;", "b.ts": "" },
    { "package.json": '{ "browser": { "./hook/a.ts": "./hook/b.ts" } }' },
  ],
  [
    "tsconfig paths",
    { "index.ts": answering("a", 'import { a } from "./a";'), "a.ts": "export const a = 1;" },
    { "tsconfig.json": '{ "compilerOptions": { "paths": { "./a": ["./hook/b.ts"] } } }' },
  ],
  [
    "tsconfig compiler options",
    { "index.ts": answering("new A().x", "class A { declare y: number; x = 1; }") },
    {
      "tsconfig.json":
        '{ "compilerOptions": { "useDefineForClassFields": false, "verbatimModuleSyntax": true, "target": "es5" } }',
    },
  ],
  ["type: module, for files of a pattern", PATTERN, { "package.json": '{ "type": "module", "sideEffects": false }' }],
];

const build = async (folder: string, entry = "index.ts") => {
  const built = await buildHook(process.execPath, { root: join(folder, "hook"), entry });
  return { code: built.code, digest: digestOf(built.files, entry, ""), paths: built.files.map(({ path }) => path) };
};

test.each(ABOVE)("files above the folder have no effect: %s", async (_name, own, above) => {
  const folder = hookFolder(own);
  const before = await build(folder);
  writeFiles(folder, above);
  expect(await build(folder)).toEqual(before);
});

test("code of a pattern is refused if only a package.json above gives its format, and accepted with one of its own", async () => {
  const folder = hookFolder({
    ...INTEROP,
    "index.ts": answering("(await import(`./lib/${['said'][0]}.js`)).said", ""),
  });
  const before = await build(folder);
  writeFiles(folder, { "package.json": '{ "type": "module" }' });
  await expect(build(folder)).rejects.toThrow("lib/said.js is imported by a pattern");
  writeFiles(folder, { "hook/package.json": "{}" });
  expect((await build(folder)).code).toBe(before.code);
  writeFiles(folder, { "hook/package.json": '{ "type": "module" }' });
  const other = await build(folder);
  expect(other.code).not.toBe(before.code);
  expect(other.digest).not.toBe(before.digest);
});

/** Files of the folder itself that change the bundle of the same sources. */
const INSIDE: [name: string, files: Record<string, string>, change: (hook: string) => void][] = [
  [
    "sideEffects of its package.json",
    { "index.ts": answering("globalThis.rule", 'import "./rule";'), "rule.ts": "(globalThis as any).rule = 1;" },
    (hook) => writeFiles(hook, { "package.json": '{ "sideEffects": false }' }),
  ],
  [
    "sideEffects of a folder's package.json",
    {
      "index.ts": answering("globalThis.rule", 'import "./lib/rule";'),
      "lib/rule.ts": "(globalThis as any).rule = 1;",
    },
    (hook) => writeFiles(hook, { "lib/package.json": '{ "sideEffects": ["other.ts"] }' }),
  ],
  [
    "the main of a folder",
    {
      "index.ts": answering(
        "[a, b, c]",
        'import a from "./lib"; import b from "./lib/index"; import c from "./lib/two";',
      ),
      "lib/index.ts": "export default 1;",
      "lib/two.ts": "export default 2;",
    },
    (hook) => writeFiles(hook, { "lib/package.json": '{ "main": "two.ts" }' }),
  ],
  [
    "a link to another of its files",
    {
      "index.ts": answering("[a, b, c]", 'import a from "./link"; import b from "./one"; import c from "./two";'),
      "one.ts": "export default 1;",
      "two.ts": "export default 2;",
    },
    (hook) => {
      rmSync(join(hook, "link.ts"), { force: true });
      symlinkSync("two.ts", join(hook, "link.ts"));
    },
  ],
  [
    "a package that is linked to another folder",
    {
      "index.ts": answering("[a, b, c]", 'import a from "dep"; import b from "./p/one"; import c from "./p/two";'),
      "p/one/index.js": "module.exports = 1;",
      "p/two/index.js": "module.exports = 2;",
    },
    (hook) => {
      rmSync(join(hook, "node_modules"), { recursive: true, force: true });
      mkdirSync(join(hook, "node_modules"));
      symlinkSync("../p/two", join(hook, "node_modules", "dep"));
    },
  ],
];

test.each(INSIDE)(
  "files in the folder that affect the bundle are part of the digest: %s",
  async (name, files, change) => {
    const folder = hookFolder(files);
    const hook = join(folder, "hook");
    if (name.includes("a link")) symlinkSync("one.ts", join(hook, "link.ts"));
    if (name.includes("linked to")) {
      mkdirSync(join(hook, "node_modules"));
      symlinkSync("../p/one", join(hook, "node_modules", "dep"));
    }
    const before = await build(folder);
    change(hook);
    const after = await build(folder);
    expect(after.code).not.toBe(before.code);
    expect(after.digest).not.toBe(before.digest);
    const copy = hookFolder({});
    cpSync(hook, join(copy, "hook"), { recursive: true, verbatimSymlinks: true });
    expect((await build(copy)).digest).toBe(after.digest);
  },
);
