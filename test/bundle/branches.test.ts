import { globSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { parse } from "acorn";
import { transform } from "esbuild";
import { describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { withBranches } from "../../src/bundle/branches.ts";
import { buildHook } from "../../src/bundle/build.ts";
import { unreachedIn } from "../../src/cli/trace-unreached.ts";
import { onToolCall, startSession, temporaryFolder, writeFiles } from "../support/session.ts";

/** A hook's source as a bundle has it. */
async function compiled(source: string, format: "iife" | "esm" = "iife") {
  const options = { loader: "ts", format, globalName: "hook", target: "es2024", sourcefile: "hook.ts" } as const;
  const { code, map } = await transform(source, { ...options, sourcemap: "external" });
  return { code, map };
}

/** Runs `hook.run(value)` for each value. Returns what came back, thrown errors as text, and what was reported. */
async function run(code: string, values: readonly unknown[]): Promise<{ results: unknown[]; reached: Set<number> }> {
  const reached = new Set<number>();
  const context = createContext({ [Symbol.for("cordon.host")]: { reached: (branch: number) => reached.add(branch) } });
  runInContext(`Symbol.for; ${code}; globalThis.run = hook.run;`, context);
  const results: unknown[] = [];
  for (const value of values) {
    try {
      results.push(JSON.stringify(await (context.run as (value: unknown) => unknown)(value)));
    } catch (error) {
      results.push(String(error));
    }
  }
  return { results, reached };
}

const TABLE: [what: string, body: string, values: unknown[], unreached: string[]][] = [
  ["if", "if (x > 1) {\n y = 2;\n}", [1], ["if 3"]],
  ["if without a block", "if (x > 1)\n y = 2;", [1], ["if 3"]],
  ["if that runs", "if (x > 1) y = 2;", [2], []],
  ["else", "if (x > 1) y = 2;\nelse y = 3;", [2], ["else 3"]],
  ["else if", "if (x > 1) y = 2;\nelse if (x > 0) y = 3;\nelse y = 4;", [2], ["if 3", "else 4"]],
  ["only the outer one of nested", "if (x > 1) {\n if (x > 2) y = 1;\n else y = 2;\n}", [1], ["if 3"]],
  ["inner one of nested", "if (x > 1) {\n if (x > 2) y = 1;\n else y = 2;\n}", [2], ["if 3"]],
  ["early return that is never taken", "if (x > 1) return 1;\ny = 2;", [1], ["if 2"]],
  ["early return that is always taken", "if (x > 1) return 1;\ny = 2;", [2], ["rest 3"]],
  ["early throw that is always taken", 'if (x > 1) throw new Error("no");\ny = 2;', [2], ["rest 3"]],
  ["what follows twice", "if (x > 1) return 1;\ny = 2;\nif (x > 0) return 2;\ny = 3;", [2], ["rest 3"]],
  [
    "a function after an early return",
    "if (x > 1) return late();\ny = 2;\nfunction late() { return 5; }",
    [2],
    ["rest 3"],
  ],
  [
    "switch",
    "switch (x) {\n case 1: y = 1; break;\n case 2:\n case 3: y = 2; break;\n default: y = 3;\n}",
    [1],
    ["case 5", "case 6"],
  ],
  [
    "a case that falls through",
    "switch (x) {\n case 1: y = 1;\n case 2: y += 2; break;\n default: y = 9;\n}",
    [1],
    ["case 5"],
  ],
  ["ternary", "y = x > 1\n ? 2\n : 3;", [2], ["choice 4"]],
  [
    "ternaries in each other",
    "y = x > 1 ? (x > 2 ? 1 : 2) : x < 0 ? { a: 1 } : [x];",
    [1, 5],
    ["choice 2", "choice 2"],
  ],
  ["&& for its effect", "x > 1 && note();", [1], ["choice 2"]],
  ["?? for its effect", "x ?? note();", [1], ["choice 2"]],
  ["catch", "try {\n y = x.a.b;\n} catch (error) {\n y = 1;\n}", [{ a: { b: 1 } }], ["catch 5"]],
  ["catch that runs", "try {\n y = x.a.b;\n} catch {\n y = 1;\n} finally {\n y += 1;\n}", [0], []],
  ["return in try", "try {\n return 1;\n} finally {\n note();\n}", [0], []],
  ["for", "for (let i = 0; i < x; i++) {\n y += i;\n}", [0], ["loop 3"]],
  [
    "for of, for in, while",
    "for (const a of x) y += a;\nfor (const a in x) y += a;\nwhile (y > 1e9) y--;",
    [[]],
    ["loop 2", "loop 3", "loop 4"],
  ],
  ["continue", "for (const a of x) {\n if (a > 1) continue;\n y += a;\n}", [[2, 3]], ["rest 4"]],
  [
    "a labelled break",
    "out: for (const a of x)\n for (const b of x) {\n  if (a > b) break out;\n  y += 1;\n }",
    [[1]],
    ["if 4"],
  ],
  ["do", "do y++; while (y < x);", [3], []],
  ["arrow function", "const f = () => 1;\ny = f.name;", [0], ["function 2"]],
  ["arrow function with an object", "const f = () => ({ a: x });\ny = f();", [7], []],
  ["arrow function with a sequence", "const f = () => (note(), x);\ny = f();", [7], []],
  [
    "async arrow function",
    "const f = async () => await 1;\ny = await f();\nconst g = async () => {\n await 1;\n};",
    [0],
    ["function 4"],
  ],
  [
    "generator",
    "function* g() {\n const z = yield 1;\n if (z) y = z;\n}\nconst it = g(); it.next(); it.next(4);",
    [0],
    [],
  ],
  [
    "class",
    "class A {\n #p = 1;\n static { note(); }\n get p() { return this.#p; }\n unused() {\n  return 2;\n }\n}\ny = new A().p;",
    [0],
    ["function 7"],
  ],
  [
    "derived class",
    "class A { constructor(public n = 1) {} }\nclass B extends A { constructor() { super(x); } }\ny = new B().n;",
    [4],
    [],
  ],
  [
    "names of functions",
    "const o = { m() {}, n: () => {}, a: x ? function () {} : () => {} };\ny = [o.m.name, o.n.name, o.a.name];",
    [1],
    ["function 2", "function 2", "function 2", "choice 2"],
  ],
  ["strict function", 'function f() {\n "use strict";\n return this === undefined;\n}\ny = f();', [0], []],
  ["default parameter", "const f = (a = x > 1 ? 1 : 2) => a;\ny = f();", [0], ["choice 2"]],
  ["optional chain", "y = x ? x?.a?.() : 1;", [{}], ["choice 2"]],
  ["in of a for", 'for (const a of "k" in x ? [1] : [2]) y += a;', [{ k: 1 }], ["choice 2"]],
  ["enum and types", "enum E { A = 1, B }\nconst z: number = x as number;\ny = E[z];", [2], []],
  ["template and comma", "y = `${x ? `a${x}` : 'b'}`, note();", [1], ["choice 2"]],
];

describe("counters in branches", () => {
  test.each(TABLE)("%s", async (_what, body, values, expected) => {
    const source = `export async function run(x: any) { let y: any = 0; const note = () => y++;\n${body}\nreturn y; }`;
    const plain = await compiled(source);
    const counted = withBranches(plain, () => true);
    const { results, reached } = await run(counted.code, values);
    expect(results).toEqual((await run(plain.code, values)).results);
    const found = unreachedIn(counted.branches.map((branch, at) => ({ ...branch, ran: reached.has(at) })));
    const ofBody = found.filter(({ line }) => line > 1 && line < source.split("\n").length);
    expect(ofBody.map(({ kind, line }) => `${kind} ${line}`)).toEqual(expected);
    expect(new Set(found.map(({ file }) => file))).toEqual(new Set(found.length > 0 ? ["hook.ts"] : []));
  });
});

/** Each place of a source that a map names, with the text in the code there. */
function mapped(code: string, map: string): string[] {
  const known = new SourceMap(JSON.parse(map));
  return code.split("\n").flatMap((line, row) =>
    [...line].flatMap((_, column) => {
      const entry = known.findEntry(row, column);
      if (!("originalLine" in entry) || entry.generatedLine !== row || entry.generatedColumn !== column) return [];
      const text = line
        .slice(column)
        .replace(/__cordonReached_\w+\(\d+\)[;,]/g, "")
        .replace(/[\s(){}]/g, "");
      return [`${entry.originalLine}:${entry.originalColumn} ${text.slice(0, 3)}`];
    }),
  );
}

test("the places of all hooks that are shipped stay as they are, and their code stays code", async () => {
  const files = globSync("{hooks,examples}/**/*.ts", { cwd: PACKAGE_ROOT, exclude: ["**/node_modules/**"] });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const plain = await compiled(readFileSync(join(PACKAGE_ROOT, file), "utf8"), "esm");
    const { code, map } = withBranches(plain, () => true);
    expect(() => parse(code, { ecmaVersion: "latest", sourceType: "module" }), file).not.toThrow();
    expect(mapped(code, map), file).toEqual(mapped(plain.code, plain.map));
  }
});

test("in a sandbox verdicts and the places of errors are the same, and no other code is counted", async () => {
  const source = onToolCall(
    `const { command } = event.input;
  const blocks = command === "rm" ? () => ({ block: true, reason: storage.getStore() }) : undefined; if (blocks) return storage.run("kept", blocks);
  if (command === "odd") { const why = "x"; [1].map(() => { throw new Error(why + "!"); }); }
  if (command === "never") return { block: true };`,
    'import { AsyncLocalStorage } from "node:async_hooks";\nimport { join } from "node:path";\nconst storage = new AsyncLocalStorage<string>();\njoin("a", "b");\nfor (const branch of [0, -1, 1e9, NaN, "x", {}]) (globalThis as any)[Symbol.for("cordon.host")].reached(branch);',
  );
  const judged = async (branches: boolean) => {
    const pretence = { powers: {}, answer: () => undefined, ...(branches ? { branches: true as const } : {}) };
    const { host, call, errors } = await startSession({ gate: source }, { pretence });
    const verdicts = [await call("ls"), await call("rm"), await call("odd")];
    const places = errors.map(({ stack = "" }) => stack.match(/gate\.ts:\d+:\d+/g));
    return {
      said: { verdicts, places },
      unreached: unreachedIn(host.branches("gate")),
      count: host.branches("gate").length,
    };
  };
  const [plain, counted] = [await judged(false), await judged(true)];
  expect(counted.said).toEqual(plain.said);
  expect(plain.said.places[0]?.length).toBeGreaterThan(1);
  expect([plain.count, plain.unreached]).toEqual([0, []]);
  expect(counted.unreached.map(({ file, line, kind }) => `${file}:${line} ${kind}`)).toEqual(["gate.ts:11 if"]);
  expect(counted.count).toBeLessThan(20);
});

test("only files of the hook's own are counted, whatever the bundler adds for them", async () => {
  const root = temporaryFolder();
  const branch = (name: string): string => `export const ${name} = (x: unknown) => (x ? 1 : 2);\n`;
  const own = {
    "hook ü%20.ts": `import { createRequire } from "node:module";
import { EventEmitter } from "node:events";
import { dep } from "dep";
import { more } from "./lib/more.ts";
const load = createRequire(import.meta.url);
export default () => { if (dep) return 1; return [more, dep, load("./data.json"), EventEmitter, () => import("node:inspector"), () => import("nowhere"), () => require("events")]; };
`,
    "lib/more.ts": branch("more"),
  };
  writeFiles(root, {
    ...own,
    "data.json": "{}",
    "node_modules/dep/package.json": '{ "name": "dep", "main": "index.js" }',
    "node_modules/dep/index.js": `exports.vm = require("inspector");\nexports.dep = (x) => (x ? 1 : 2);\n`,
  });
  const built = await buildHook(process.execPath, { root, entry: "hook ü%20.ts", branches: true });
  const { sources } = JSON.parse(built.map) as { sources: string[] };
  const inner = (source: string): string | undefined => /^(cordon-\w+):/.exec(source)?.[1];
  // All kinds are in the bundle.
  expect(new Set(sources.map(inner).filter(Boolean))).toEqual(
    new Set(["cordon-thrower", "cordon-requires", "cordon-wholes"]),
  );
  expect(new Set(built.branches?.map(({ file }) => file))).toEqual(new Set(Object.keys(own)));
});
