import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";

interface Case {
  name: string;
  files: Record<string, string>;
  entry?: string;
  expected: unknown;
}

const commonJs = (body: string): string =>
  `module.exports = function (pi) { pi.on("tool_call", () => ({ block: true, reason: JSON.stringify(${body}) })); };\n`;

const cases: Case[] = [
  {
    name: "enums, const enums, declaration merging and namespaces",
    files: {
      "index.ts": answering(
        "[Level.High, Level[1], Mode.Fast, Text.bash, Rules.allowed('ls'), Rules.Deep.value]",
        `enum Level { Low, High }
         enum Level { Highest = 7 }
         const enum Mode { Slow = "slow", Fast = Slow + "er" }
         enum Text { bash = "b" }
         namespace Rules { export const allowed = (c: string): boolean => c === "ls"; export namespace Deep { export const value = 3; } }`,
      ),
    },
    expected: [1, "High", "slower", "b", true, 3],
  },
  {
    name: "extensionless relative imports of files, folders and .js written for .ts",
    files: {
      "index.ts": answering(
        "[a, b, c, d]",
        'import { a } from "./a"; import { b } from "./lib"; import { c } from "./c.js"; import { d } from "./lib/d.mjs";',
      ),
      "a.ts": "export const a: number = 1;",
      "lib/index.ts": "export const b: number = 2;",
      "c.ts": "export const c: number = 3;",
      "lib/d.mts": "export const d: number = 4;",
    },
    expected: [1, 2, 3, 4],
  },
  {
    name: "top-level await, also in an imported file and of a timer",
    files: {
      "index.ts": answering(
        "[ready, late]",
        'import { ready } from "./ready"; const late = await new Promise((r) => setTimeout(() => r("late"), 5));',
      ),
      "ready.ts": 'export const ready = await Promise.resolve("ready");',
    },
    expected: ["ready", "late"],
  },
  { name: "module.exports", entry: "index.js", files: { "index.js": commonJs("1") }, expected: 1 },
  {
    name: "module.exports in a TypeScript file",
    files: { "index.ts": commonJs("typeof module + typeof exports") },
    expected: "objectobject",
  },
  { name: "module.exports in a .cjs file", entry: "index.cjs", files: { "index.cjs": commonJs("2") }, expected: 2 },
  {
    name: "exports.default with __esModule",
    entry: "index.js",
    files: {
      "index.js": `Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = (pi) => pi.on("tool_call", () => ({ block: true, reason: "5" }));`,
    },
    expected: 5,
  },
  {
    name: "exports.default without __esModule",
    entry: "index.js",
    files: { "index.js": `exports.default = (pi) => pi.on("tool_call", () => ({ block: true, reason: "6" }));` },
    expected: 6,
  },
  {
    name: "require of relative files, JSON and folders, also inside a function",
    entry: "index.js",
    files: {
      "index.js": `const { a } = require("./lib/a"); const later = () => require("./data.json").n;\n${commonJs('[a, later(), require("./lib").name]')}`,
      "lib/a.js": "exports.a = 1;",
      "lib/index.js": 'module.exports = { name: "lib" };',
      "data.json": '{ "n": 2 }',
    },
    expected: [1, 2, "lib"],
  },
  {
    name: "require beside import in TypeScript",
    files: {
      "index.ts": answering("[one.value, two]", 'import { two } from "./two"; const one = require("./one.cjs");'),
      "one.cjs": "exports.value = 1;",
      "two.ts": "export const two = 2;",
    },
    expected: [1, 2],
  },
  {
    name: "import x = require() and export =",
    files: {
      "index.ts": answering("[old.value]", 'import old = require("./old");'),
      "old.ts": "export = { value: 9 };",
    },
    expected: [9],
  },
  {
    name: "dynamic import of a literal",
    files: { "index.ts": answering('(await import("./late")).value'), "late.ts": "export const value = 4;" },
    expected: 4,
  },
  {
    name: "dynamic import of a pattern inside the folder",
    files: {
      "index.ts": answering('(await import(`./rules/${["b"][0]}.json`)).default.n'),
      "rules/a.json": '{ "n": 1 }',
      "rules/b.json": '{ "n": 2 }',
    },
    expected: 2,
  },
  {
    name: "JSON: default, named and with an attribute",
    files: {
      "index.ts": answering(
        "[all.n, n, typed.list]",
        'import all, { n } from "./data.json"; import typed from "./data.json" with { type: "json" };',
      ),
      "data.json": '{ "n": 1, "list": [1, "ä\\ud83d\\ude00"] }',
    },
    expected: [1, 1, [1, "ä😀"]],
  },
  {
    name: "export default async",
    files: {
      "index.ts":
        'export default async function (pi: any) { await 0; pi.on("tool_call", async () => ({ block: true, reason: "1" })); }',
    },
    expected: 1,
  },
  {
    name: "a default export under another name",
    files: {
      "index.ts":
        'const hook = (pi: any): void => { pi.on("tool_call", () => ({ block: true, reason: "8" })); };\nexport { hook as default };',
    },
    expected: 8,
  },
  {
    name: "a default export from another file",
    files: { "index.ts": 'export { default } from "./real";', "real.ts": answering("11") },
    expected: 11,
  },
  {
    name: "type-only imports of missing modules",
    files: {
      "index.ts": answering(
        "[1]",
        `import type { A } from "no-such-package"; import type B from "../nowhere"; import type * as C from "node:fs"; import { type D } from "./types";
         import { ToolCallEvent, HookAPI } from "@mariozechner/pi-coding-agent/hooks"; import type { ChildProcess } from "child_process";
         import { Unused } from "another-missing-package"; export type { A }; let seen: [A, B, typeof C, D, ToolCallEvent, HookAPI, ChildProcess, Unused] | undefined;`,
      ),
      "types.ts": "export type D = 1;",
    },
    expected: [1],
  },
  {
    name: "generics, satisfies, assertions, overloads, parameter properties and accessors",
    files: {
      "index.ts": answering(
        '[new Box<number>(3).twice(), (rules satisfies Record<string, string>).a, <number>id(4), id<string>("x")!, new Box(1).value]',
        `class Box<T extends number> { constructor(private readonly n: T) {} accessor value = 5; twice(): number { return this.n * 2; } }
         const rules = { a: "b" } as const; function id<T>(x: T): T; function id(x: unknown) { return x; } abstract class Unused { abstract x(): void; }
         declare const nowhere: string; type Deep<T> = T extends [infer H, ...infer _] ? H : never; const one: Deep<[1]> = 1; void one;`,
      ),
    },
    expected: [6, "b", 4, "x", 5],
  },
  {
    name: "decorators",
    files: {
      "index.ts": answering(
        "[new Gate().check()]",
        `const loud = (method: any, _context: any) => function (this: unknown) { return method.call(this) + "!"; };
         class Gate { @loud check(): string { return "no"; } }`,
      ),
    },
    expected: ["no!"],
  },
  {
    name: "using, private methods, static blocks, optional chaining, regular expressions with flags",
    files: {
      "index.ts": answering(
        '[K.n, K.has({}), (undefined as any)?.a ?? "none", /^\\p{L}+$/v.test("ä"), await disposed()]',
        `class K { static n = 0; #p = 1; static { K.n = 2; } static has(o: object) { return #p in o; } }
         async function disposed() { let gone = 0; { using _r = { [Symbol.dispose]() { gone++; } }; await using _a = { async [Symbol.asyncDispose]() { gone++; } }; } return gone; }`,
      ),
    },
    expected: [2, false, "none", true, 2],
  },
  { name: "a shebang", files: { "index.ts": `#!/usr/bin/env node\n${answering("1")}` }, expected: 1 },
  { name: "a byte order mark", files: { "index.ts": `\uFEFF${answering("1")}` }, expected: 1 },
  {
    name: "a string that mentions source maps is not changed",
    files: {
      "index.ts": answering(
        '[t, json.t, "//# sourceMappingURL=x"]',
        'import t from "./t.txt"; import json from "./t.json";',
      ),
      "t.txt": "//# sourceMappingURL=a",
      "t.json": '{ "t": "/*# sourceMappingURL=b */" }',
    },
    expected: ["//# sourceMappingURL=a", "/*# sourceMappingURL=b */", "//# sourceMappingURL=x"],
  },
];

test.each(sampled(cases, 2))("builds and runs: $name", async ({ files, entry, expected }) => {
  const { reason, hook } = await startFolder(hookFolder(files), entry);
  expect(hook().state, hook().reason).toBe("active");
  expect(JSON.parse((await reason()) ?? "null")).toEqual(expected);
});

const never: { name: string; source: string; files?: Record<string, string> }[] = [
  {
    name: "require of a module with top-level await",
    source: `const late = require("./late.mjs"); ${answering("late.x")}`,
    files: { "late.mjs": "export const x = await 1;" },
  },
  { name: "module.exports beside a top-level await", source: "await 1; module.exports = function (pi) {};" },
  { name: "module.exports beside an export", source: "export const a = 1; module.exports = function (pi) {};" },
  { name: "a syntax error", source: "export default function (pi) {\n  if (\n}" },
  { name: "an import of a missing file", source: answering("missing", 'import missing from "./missing";') },
  { name: "a package that is not installed", source: answering("missing", 'import missing from "missing-package";') },
  {
    name: "an import of a missing export",
    source: answering("none", 'import { none } from "./some";'),
    files: { "some.ts": "export const some = 1;" },
  },
  { name: "no default export", source: "export const hook = 1;" },
  { name: "a throw while loading", source: 'throw new Error("at load");' },
  { name: "a rejection while loading", source: 'export default async () => { throw new Error("at load"); };' },
];

test.each(never)("does not load and blocks: $name", async ({ source, files }) => {
  const { reason, hook } = await startFolder(hookFolder({ "index.ts": source, ...files }));
  expect(hook().state).toBe("failed");
  expect(await reason()).toContain("LOAD_FAILED");
});

test("a syntax error is shown with its file, line and column", async () => {
  const { hook } = await startFolder(
    hookFolder({ "index.ts": 'import "./second";', "second.ts": "let a = 1;\nlet b = ;\n" }),
  );
  expect(hook().reason).toContain("second.ts:2:9: ");
});
