import { join } from "node:path";
import { expect, test } from "vitest";
import { positionIn } from "../../src/bundle/source-positions.ts";
import { hookFolder, startFolder } from "./hook-folder.ts";

const names = [
  "ünïcode 日本.ts",
  "with space.ts",
  'it\'s "quoted".ts',
  "100%.ts",
  "50%zz.ts",
  "a#b.ts",
  "a?b=c.ts",
  "[a]{b}.ts",
  "$&.ts",
  "cordon-hook.js",
  "cordon-entry.js",
  "-dash.ts",
  "x.test.mts",
];

test.each(names)("a hook named %s runs, and its errors show that name", async (name) => {
  const source =
    'import { n } from "./helper"; export default (pi) => pi.on("agent_start", () => {\n  throw new Error("n is " + n);\n});\n';
  const { host, hook, errors } = await startFolder(
    hookFolder({ [name]: source, "helper.ts": "export const n: number = 1;" }),
    name,
  );
  expect(hook().state, hook().reason).toBe("active");
  await host.emit({ type: "agent_start" });
  expect(errors).toMatchObject([{ error: "n is 1" }]);
  expect(errors[0]?.stack).toContain(`${name}:2:9`);
});

const throwing = (statement: string): string =>
  `export default (pi: any) => {\n  pi.on("agent_start", async (_event: unknown, ctx: any) => {\n    interface Gone { erased: true }\n    ${statement}\n  });\n};\n`;

interface Case {
  name: string;
  files: Record<string, string>;
  /** Positions in the hook's folder that the stack must show, outermost last. */
  places: string[];
}

const dependency = {
  "node_modules/dep/package.json": '{ "name": "dep", "main": "lib/dep.js" }',
  "node_modules/dep/lib/dep.js":
    '"use strict";\n\nexports.fail = function fail() {\n  throw new RangeError("from the dependency");\n};\n',
};

const cases: Case[] = [
  { name: "its own file", files: { "index.ts": throwing('throw new Error("here");') }, places: ["index.ts:4:11"] },
  {
    name: "a second file of its own",
    files: {
      "index.ts": `import { fail } from "./lib/second";\n${throwing("fail();")}`,
      "lib/second.ts":
        "type A = {\n  erased: true;\n};\nexport function fail(): never {\n  throw new TypeError(`x`);\n}\n",
    },
    places: ["lib/second.ts:5:9", "index.ts:5:5"],
  },
  {
    name: "a dependency",
    files: { "index.ts": `import { fail } from "dep";\n${throwing("fail();")}`, ...dependency },
    places: ["node_modules/dep/lib/dep.js:4:9", "index.ts:5:5"],
  },
  {
    name: "a file that uses its own path",
    files: { "index.ts": throwing("const here: string = __dirname;\n    if (here as unknown) throw new Error(here);") },
    places: ["index.ts:5:32"],
  },
  {
    name: "code after an await",
    files: {
      "index.ts": throwing("await new Promise((resolve) => setTimeout(resolve, 1));\n    (undefined as any).field;"),
    },
    places: ["index.ts:5:24"],
  },
  {
    name: "a file with its own, misleading source map",
    files: {
      "index.ts": `import { fail } from "./plain.js";\n${throwing("fail();")}`,
      "plain.js": 'export function fail() {\n  throw new Error("plain");\n}\n//# sourceMappingURL=plain.js.map\n',
      "plain.js.map": '{ "version": 3, "sources": ["elsewhere.ts"], "mappings": "AAAA;AACA;AACA", "names": [] }',
    },
    places: ["plain.js:2:9", "index.ts:5:5"],
  },
];

test.each(cases)("an error's stack shows the hook's own source: $name", async ({ files, places }) => {
  const folder = hookFolder(files);
  const { host, errors } = await startFolder(folder);
  await host.emit({ type: "agent_start" });
  expect(errors).toHaveLength(1);
  const { stack = "", code, event } = errors[0] as (typeof errors)[number];
  expect({ code, event }).toEqual({ code: "HOOK_THREW", event: "agent_start" });
  const shown = places.map((place) => stack.indexOf(join(folder, "hook", place)));
  expect(
    shown.every((at, index) => at > (shown[index - 1] ?? -1)),
    `${places.join(", ")} in\n${stack}`,
  ).toBe(true);
  expect(stack).not.toMatch(/cordon-hook\.js|cordon-guest\.js/);
});

/** Each throws inside a module that Cordon offers. */
const IN_OFFERED: readonly [name: string, imports: string, statement: string][] = [
  ["fs", 'import * as fs from "node:fs";', "fs.readFileSync(undefined as any);"],
  ["fs, of a file that is not there", 'import * as fs from "node:fs";', "fs.readFileSync(`${ctx.cwd}/none`);"],
  ["fs/promises", 'import { readFile } from "node:fs/promises";', "await readFile(`${ctx.cwd}/none`);"],
  ["url", 'import { fileURLToPath } from "node:url";', 'fileURLToPath("http://a/b");'],
  ["buffer", 'import { Buffer } from "node:buffer";', "Buffer.alloc(-1);"],
  ["crypto", 'import { createHash } from "node:crypto";', 'createHash("none");'],
  ["zlib", 'import { gunzipSync } from "node:zlib";', 'gunzipSync(Buffer.from("x"));'],
  ["assert", 'import assert from "node:assert";', "assert.equal(1, 2);"],
  ["child_process", 'import { execFileSync } from "node:child_process";', "execFileSync(5 as any);"],
  ["events", 'import { EventEmitter } from "node:events";', 'new EventEmitter().emit("error", new Error("x"));'],
  ["typebox", 'import { Value } from "@sinclair/typebox/value";', "(Value as any).Parse({ nothing: 1 }, 1);"],
];
test.each(IN_OFFERED)("an error in %s points at the hook's line", async (_name, imports, statement) => {
  const folder = hookFolder({ "index.ts": `${imports}\n${throwing(statement)}` });
  const fs = { read: ["$CWD/**"] };
  const { host, errors } = await startFolder(folder, "index.ts", {}, { grant: { capabilities: { fs } } });
  await host.emit({ type: "agent_start" });
  const stacks = errors.flatMap(({ stack }) => (stack === undefined ? [] : [stack]));
  expect(stacks).not.toEqual([]);
  for (const stack of stacks) expect(positionIn(stack), stack).toMatch(/\/hook\/index\.ts:5:\d+$/);
});

test("an error thrown while loading shows its position", async () => {
  const folder = hookFolder({ "index.ts": 'type A = 1;\n\nthrow new Error("at load");\n' });
  const errors: { stack?: string }[] = [];
  const { host, hook } = await startFolder(folder);
  host.onError((error) => errors.push(error));
  expect(hook()).toMatchObject({ state: "failed", reason: expect.stringContaining("at load") });
  await host.reload(hook().id);
  expect(errors.map((error) => error.stack ?? "").join("\n")).toContain(`${join(folder, "hook", "index.ts")}:3:7`);
});

test("console lines name file, line and column of the call, from every file", async () => {
  const folder = hookFolder({
    "index.ts":
      'import { say } from "./second";\ninterface Erased {}\nexport default (pi: any) => {\n  console.log("one");\n  say();\n  pi.on("agent_start", () => console.warn("three"));\n};\n',
    "second.ts": "export function say(): void {\n\n    console.error(`two`);\n}\n",
  });
  const { host, log } = await startFolder(folder);
  await host.emit({ type: "agent_start" });
  expect(log.map(({ level, text, at }) => ({ level, text, at }))).toEqual([
    { level: "info", text: "one", at: `${join(folder, "hook", "index.ts")}:4:11` },
    { level: "error", text: "two", at: `${join(folder, "hook", "second.ts")}:3:13` },
    { level: "warn", text: "three", at: `${join(folder, "hook", "index.ts")}:6:38` },
  ]);
});
