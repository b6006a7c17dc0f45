import { expect, test } from "vitest";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";

interface Case {
  name: string;
  top: string;
  expression: string;
  packages: Record<string, string>;
  expected: unknown;
}

const cases: Case[] = [
  {
    name: "an ES module",
    top: 'import made, { named } from "esm";',
    expression: "[made(2), named]",
    packages: {
      "esm/package.json": '{ "name": "esm", "type": "module", "exports": "./main.js" }',
      "esm/main.js": 'import { base } from "./base.js"; export default (n) => n + base; export const named = "n";',
      "esm/base.js": "export const base = 40;",
    },
    expected: [42, "n"],
  },
  {
    name: "CommonJS with main",
    top: 'import cjs from "cjs"; import { part } from "cjs";',
    expression: "[cjs.whole, part]",
    packages: {
      "cjs/package.json": '{ "name": "cjs", "main": "lib/main" }',
      "cjs/lib/main.js": 'const { part } = require("../part"); module.exports = { whole: 1, part };',
      "cjs/part.js": "exports.part = 2;",
    },
    expected: [1, 2],
  },
  {
    name: "CommonJS compiled from an ES module",
    top: 'import whole, { part } from "babel";',
    expression: "[whole, part]",
    packages: {
      "babel/package.json": '{ "name": "babel" }',
      "babel/index.js":
        'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "d"; exports.part = "p";',
    },
    expected: ["d", "p"],
  },
  {
    name: "a scoped one with an exports map, conditions, subpaths and patterns",
    top: 'import { kind } from "@scope/map"; import sub from "@scope/map/sub"; import { n } from "@scope/map/features/two";',
    expression: '[kind, sub, n, require("@scope/map").kind]',
    packages: {
      "@scope/map/package.json":
        '{ "name": "@scope/map", "exports": { ".": { "types": "./x.d.ts", "import": "./esm.mjs", "require": "./cjs.cjs" }, "./sub": "./lib/sub.mjs", "./features/*": "./lib/f-*.mjs", "./private": null } }',
      "@scope/map/esm.mjs": 'export const kind = "esm";',
      "@scope/map/cjs.cjs": 'exports.kind = "cjs";',
      "@scope/map/lib/sub.mjs": 'export default "sub";',
      "@scope/map/lib/f-two.mjs": "export const n = 2;",
    },
    expected: ["esm", "sub", 2, "cjs"],
  },
  {
    name: "one with imports of its own and a module field",
    top: 'import { value } from "inner";',
    expression: "value",
    packages: {
      "inner/package.json":
        '{ "name": "inner", "main": "main.js", "module": "module.js", "imports": { "#deep": "./deep/real.js" } }',
      "inner/main.js": "exports.value = 'main';",
      "inner/module.js": 'import { deep } from "#deep"; export const value = "module " + deep;',
      "inner/deep/real.js": 'export const deep = "deep";',
    },
    expected: "module deep",
  },
  {
    name: "one with dependencies in its own node_modules, and two versions of one",
    top: 'import { a } from "outer"; import { version } from "twice";',
    expression: "[a, version]",
    packages: {
      "outer/package.json": '{ "name": "outer", "main": "index.js" }',
      "outer/index.js": 'exports.a = "with " + require("twice").version;',
      "outer/node_modules/twice/index.js": "exports.version = 1;",
      "twice/index.js": "exports.version = 2;",
    },
    expected: ["with 1", 2],
  },
  {
    name: "a JSON file of one, and its package.json",
    top: 'import data from "jsons/data.json"; import { version } from "jsons/package.json";',
    expression: "[data, version]",
    packages: { "jsons/package.json": '{ "name": "jsons", "version": "1.2.3" }', "jsons/data.json": "[1, 2]" },
    expected: [[1, 2], "1.2.3"],
  },
  {
    name: "TypeScript in a package",
    top: 'import { level } from "typed";',
    expression: "level",
    packages: {
      "typed/package.json": '{ "name": "typed", "main": "index.ts" }',
      "typed/index.ts": "enum L { A = 5 } export const level: number = L.A;",
    },
    expected: 5,
  },
  {
    name: "one that uses pure built-ins and has cyclic files",
    top: 'import { name } from "cycle";',
    expression: "name()",
    packages: {
      "cycle/package.json": '{ "name": "cycle", "type": "module", "exports": "./a.js" }',
      "cycle/a.js":
        'import { b } from "./b.js"; import { join } from "path"; export const a = () => "a"; export const name = () => join(b(), "x");',
      "cycle/b.js": 'import { a } from "./a.js"; export const b = () => a() + "b";',
    },
    expected: "ab/x",
  },
  {
    name: "one that only has side effects",
    top: 'import "effect";',
    expression: "(globalThis as any).effect",
    packages: {
      "effect/package.json": '{ "name": "effect", "main": "index.js" }',
      "effect/index.js": "globalThis.effect = 1;",
    },
    expected: 1,
  },
];

test.each(cases)("a hook's own node_modules: $name", async ({ top, expression, packages, expected }) => {
  const installed = Object.fromEntries(
    Object.entries(packages).map(([path, content]) => [`node_modules/${path}`, content]),
  );
  const { reason, hook } = await startFolder(hookFolder({ "index.ts": answering(expression, top), ...installed }));
  expect(hook().state, hook().reason).toBe("active");
  expect(JSON.parse((await reason()) ?? "null")).toEqual(expected);
});

test("a dependency that names an unavailable built-in loads, and the host knows what it lacks", async () => {
  const folder = hookFolder({
    "index.ts": answering("typeof f.connect", 'import { f } from "sly";'),
    "node_modules/sly/index.js": '"use strict";\nconst x = require("tls");\nexports.f = x;\n',
  });
  const { host, hook, reason } = await startFolder(folder);
  expect(await reason()).toBe('"function"');
  expect(host.lacks(hook().id)).toEqual(["tls"]);
});
