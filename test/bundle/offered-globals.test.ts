import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { likelyGlobals } from "../../src/bundle/offered-globals.ts";
import { sharedSession, writeFiles } from "../support/session.ts";

const NAMES =
  `Atomics Blob Buffer ByteLengthQueuingStrategy CountQueuingStrategy File FinalizationRegistry FormData Headers
  ReadableStream ReadableStreamBYOBReader ReadableStreamDefaultReader Request Response SharedArrayBuffer
  TextDecoderStream TextEncoderStream TransformStream WeakRef WebSocket WritableStream WritableStreamDefaultWriter
  fetch process`.split(/\s+/);
const IN_NODE = NAMES.map((name) => typeof (globalThis as Record<string, unknown>)[name]);
const MARK = "cordon: Buffer of Node is not in this bundle yet";

/** Code that exports what it finds as `found`, in as many files as it likes, and what that is in Node. */
// biome-ignore format: a table
const ROWS: [claim: string, files: Record<string, string>, found: unknown][] = [
  ["by its name", { "index.ts": "export const found = typeof Buffer;" }, "function"],
  ["by a name with an escape", { "index.ts": "export const found = typeof \\u0042uffer;" }, "function"],
  ["as a member of the global object", { "index.ts": "export const found = typeof globalThis.fetch;" }, "function"],
  ["as a member by a string", { "index.ts": 'export const found = typeof globalThis["fetch"];' }, "function"],
  ["as a member by an escaped string", { "index.ts": 'export const found = typeof globalThis["f\\x65tch"];' }, "function"],
  ["as a member beside a name of the hook's own", { "index.ts": "const Buffer = 1; export const found = [Buffer, typeof globalThis.Buffer];" }, [1, "function"]],
  ["in a second file", { "index.ts": 'export * from "./more";', "more.ts": "export const found = typeof Headers;" }, "function"],
  ["with an escape in a second file", { "index.ts": 'export * from "./more";', "more.ts": "export const found = typeof \\u{57}eakRef;" }, "function"],
  ["in a second file, another than in the first", { "index.ts": 'export * from "./more"; process.pid;', "more.ts": "export const found = [typeof process, typeof ReadableStream];" }, ["object", "function"]],
  ["in a package", { "index.ts": 'export * from "dep";', "node_modules/dep/index.mjs": 'export const found = new Response("x").status;', "node_modules/dep/package.json": '{"main":"index.mjs"}' }, 200],
  ["in a CommonJS package", { "index.ts": 'import dep from "dep"; export const { found } = dep;', "node_modules/dep/index.js": 'exports.found = Buffer.from("a").toString("hex");' }, "61"],
  ["in code that is imported where it runs", { "index.ts": 'export const { found } = await import("./more");', "more.ts": "export const found = typeof WebSocket;" }, "function"],
  ["each of them", { "index.ts": `export const found = [${NAMES.map((name) => `typeof ${name}`)}];` }, IN_NODE],
  ["each of them as a member", { "index.ts": `export const found = [${NAMES.map((name) => `typeof globalThis.${name}`)}];` }, IN_NODE],
  ["each of them in a second file", { "index.ts": 'export * from "./more";', "more.ts": `export const found = [${NAMES.map((name) => `typeof ${name}`)}];` }, IN_NODE],
  ["none, for a text of the hook's that stands for one", { "index.ts": `export const found = ${JSON.stringify(MARK)};` }, MARK],
];

/** A gate that tells what its own row found. */
const gate = (row: number) =>
  `import * as own from "./found/index";
  export default (pi: any) => pi.on("tool_call", ({ input }: any) =>
    input.row === ${row} ? { block: true, reason: JSON.stringify((own as any).found) } : undefined);`;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "cordon-globals-")));
ROWS.forEach(([, files], row) => {
  writeFiles(join(folder, String(row), "found"), files);
  writeFiles(join(folder, String(row)), { "index.ts": gate(row) });
});
afterAll(() => rmSync(folder, { recursive: true }));
const session = sharedSession({}, { hooks: ROWS.map((_row, at) => join(folder, String(at), "index.ts")) });

test.each(ROWS.map(([claim, , found], row) => [claim, row, found] as const))(
  "a bundle has the globals of Node that its code names: %s",
  async (_claim, row, found) => {
    const verdict = await session.call({ row });
    expect(JSON.parse((verdict as { reason: string }).reason)).toEqual(found);
  },
);

// biome-ignore format: a table
const LIKELY: [source: string, names: string[]][] = [
  ["const path = 1;", []],
  ['import { join } from "node:path";', ["SharedArrayBuffer", "__cordonBuffer", "process"]],
  ["import { join } from 'path/posix';", ["SharedArrayBuffer", "__cordonBuffer", "process"]],
  ['require("assert/strict")', ["SharedArrayBuffer", "__cordonBuffer", "process"]],
  ['await import("node:url")', ["SharedArrayBuffer", "__cordonBuffer", "process"]],
  ['import events from "node:events";', ["SharedArrayBuffer", "__cordonBuffer"]],
  ['import { join } from "pathe";', []],
  ["process.pid", ["process"]],
  ["fetch(here)", ["SharedArrayBuffer", "__cordonBuffer", "fetch"]],
];

test.each(LIKELY)(
  "a bundle is made with the globals that it most likely needs, so that it is made once: %s",
  (source, names) => {
    expect([...likelyGlobals(source)]).toEqual(names);
  },
);
