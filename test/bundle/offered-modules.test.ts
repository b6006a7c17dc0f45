import { homedir, tmpdir } from "node:os";
import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";

interface Case {
  name: string;
  top: string;
  expression: string;
  expected: unknown;
}

const GUARDS = ["Bash", "Read", "Edit", "Write", "Grep", "Find", "Ls"].map((tool) => `is${tool}ToolResult`);
const guards = (from: string): Case => ({
  name: `the type guards of ${from}`,
  top: `import { ${GUARDS.join(", ")} } from "${from}";`,
  expression: `[${GUARDS.join(", ")}].map((guard) => ["bash", "read", "edit", "write", "grep", "find", "ls"].map((toolName) => Number(guard({ toolName } as any))).join(""))`,
  expected: ["1000000", "0100000", "0010000", "0001000", "0000100", "0000010", "0000001"],
});

const builtins: Case[] = [
  {
    name: "perf_hooks",
    top: 'import perf, { performance as clock } from "node:perf_hooks";',
    expression: "[typeof clock.now(), clock === performance, perf.performance === clock]",
    expected: ["number", true, true],
  },
  {
    name: "path",
    top: 'import path, { join, posix, relative } from "node:path"; import * as bare from "path"; import { basename } from "node:path/posix";',
    expression:
      '[join("/a", "../b", "c.ts"), path.extname("x.d.ts"), relative("/a/b", "/a/c"), posix.sep, bare.isAbsolute("a"), basename("/a/b.ts", ".ts"), path.resolve("/a", "./b"), path.parse("/x/y.z").name]',
    expected: ["/b/c.ts", ".ts", "../c", "/", false, "b", "/a/b", "y"],
  },
  {
    name: "url",
    top: 'import { fileURLToPath, pathToFileURL, URL as U, format } from "node:url";',
    expression:
      '[fileURLToPath("file:///a%20b/c.ts"), pathToFileURL("/a b").href, new U("../x?y=1", "https://h.example/a/b").href, fileURLToPath(new URL("./d", "file:///a/b")), format(new U("https://h.example/"))]',
    expected: ["/a b/c.ts", "file:///a%20b", "https://h.example/x?y=1", "/a/d", "https://h.example/"],
  },
  {
    name: "util",
    top: 'import util, { format, inspect, promisify, isDeepStrictEqual, types, stripVTControlCharacters } from "node:util"; import { isRegExp } from "util/types";',
    expression:
      '[format("%s is %d %j", "a", 4, { b: 1 }), await promisify((x: number, done: any) => done(null, x + 1))(1), isDeepStrictEqual({ a: [1] }, { a: [1] }), isDeepStrictEqual({ a: [1] }, { a: [2] }), types.isDate(new Date()), isRegExp(/a/), inspect({ a: 1 }), stripVTControlCharacters("\\u001b[31mred\\u001b[0m"), typeof util.inherits, util.inspect.custom.toString()]',
    expected: [
      'a is 4 {"b":1}',
      2,
      true,
      false,
      true,
      true,
      "{ a: 1 }",
      "red",
      "function",
      "Symbol(nodejs.util.inspect.custom)",
    ],
  },
  {
    name: "events",
    top: 'import EventEmitter, { once, EventEmitter as Named } from "node:events"; class Mine extends EventEmitter {}',
    expression:
      '(() => { const seen: any[] = []; const e = new Mine(); e.on("a", (x: number) => seen.push(x)); e.once("a", () => seen.push("once")); e.emit("a", 1); e.emit("a", 2); const first = once(e, "b"); e.emit("b", 3); return first.then((values: any) => [seen, values, e.listenerCount("a"), Named === EventEmitter]); })()',
    expected: [[1, "once", 2], [3], 1, true],
  },
  {
    name: "assert",
    top: 'import assert, { AssertionError, strictEqual } from "node:assert"; import strict from "assert/strict"; const caught = (f: () => void) => { try { f(); return "passed"; } catch (e) { return e instanceof AssertionError ? (e as any).code : String(e); } };',
    expression:
      '[caught(() => assert(true)), caught(() => assert(0, "no")), caught(() => strictEqual(1, "1" as any)), caught(() => strict.deepEqual({ a: [1] }, { a: [1] })), caught(() => assert.deepStrictEqual({ a: 1 }, { a: 2 })), caught(() => assert.throws(() => { throw new Error("x"); }, /x/))]',
    expected: ["passed", "ERR_ASSERTION", "ERR_ASSERTION", "passed", "ERR_ASSERTION", "passed"],
  },
  {
    name: "buffer",
    top: 'import { Buffer } from "node:buffer"; const bytes = Buffer.from("héllo");',
    expression:
      '[bytes.toString("base64"), bytes.toString("hex"), Buffer.from("aGk=", "base64").toString(), Buffer.byteLength("é"), Buffer.concat([Buffer.from([1]), Buffer.alloc(2)]).length, Buffer.from([255, 1]).readUInt16BE(0), Buffer.isBuffer(bytes), bytes.equals(Buffer.from("68c3a96c6c6f", "hex")), bytes.subarray(0, 1).toString("utf8")]',
    expected: ["aMOpbGxv", "68c3a96c6c6f", "hi", 2, 3, 65281, true, true, "h"],
  },
  {
    name: "querystring",
    top: 'import { parse, stringify } from "node:querystring"; import qs from "querystring";',
    expression: '[parse("a=1&b=x%20y&b=z"), stringify({ a: [1, 2], b: "ä" }), qs.escape("a b")]',
    expected: [{ a: "1", b: ["x y", "z"] }, "a=1&a=2&b=%C3%A4", "a%20b"],
  },
  {
    name: "string_decoder",
    top: 'import { StringDecoder } from "node:string_decoder"; import { Buffer } from "node:buffer"; const decoder = new StringDecoder("utf8");',
    expression: "[decoder.write(Buffer.from([0xe2, 0x82])), decoder.write(Buffer.from([0xac])), decoder.end()]",
    expected: ["", "€", ""],
  },
  {
    name: "os, for paths and the platform",
    top: 'import os, { EOL, constants } from "node:os"; const refusal = (f: () => unknown) => { try { return String(f()); } catch (e) { return (e as any).code; } };',
    expression:
      "[EOL, constants.signals.SIGTERM, constants.errno.ENOENT, os.EOL, os.homedir(), os.tmpdir(), os.platform(), refusal(() => os.cpus()), refusal(() => os.userInfo())]",
    expected: ["\n", 15, 2, "\n", homedir(), tmpdir(), process.platform, "NOT_GRANTED", "NOT_GRANTED"],
  },
];

const agents: Case[] = [
  ...["@mariozechner", "@earendil-works"].flatMap((scope): Case[] => [
    guards(`${scope}/pi-coding-agent`),
    guards(`${scope}/pi-coding-agent/hooks`),
    {
      name: `StringEnum of ${scope}/pi-ai`,
      top: `import { StringEnum, type Model } from "${scope}/pi-ai"; let model: Model<any> | undefined;`,
      expression: 'StringEnum(["a", "b"], { description: "one" })',
      expected: { type: "string", enum: ["a", "b"], description: "one" },
    },
    {
      name: `types of ${scope}/pi-tui`,
      top: `import type { Component } from "${scope}/pi-tui"; import * as tui from "${scope}/pi-tui"; let seen: Component | undefined;`,
      expression: "typeof tui",
      expected: "object",
    },
  ]),
  ...["typebox", "@sinclair/typebox"].map(
    (from): Case => ({
      name: `the values of ${from}`,
      top: `import { Type } from "${from}"; import { Value } from "${from}/value";`,
      expression: "[1, 'x'].map((value) => Value.Check(Type.String(), value))",
      expected: [false, true],
    }),
  ),
  {
    name: "typebox/compile",
    top: 'import { Type } from "typebox"; import { Compile } from "typebox/compile"; import { Compile as Same } from "@sinclair/typebox/compile";',
    expression: "[1, 'x'].map((value) => Compile(Type.String()).Check(value)).concat(Same === Compile)",
    expected: [false, true, true],
  },
  ...["typebox", "@sinclair/typebox"].map(
    (name): Case => ({
      name: `a schema of ${name}`,
      top: `import { Type, type Static } from "${name}"; const Schema = Type.Object({ path: Type.String({ minLength: 1 }), depth: Type.Optional(Type.Integer()), kind: Type.Union([Type.Literal("a"), Type.Literal("b")]) }); type Input = Static<typeof Schema>; const input: Input = { path: "x", kind: "a" };`,
      expression: "[JSON.parse(JSON.stringify(Schema)), input]",
      expected: [
        {
          type: "object",
          required: ["path", "kind"],
          properties: {
            path: { type: "string", minLength: 1 },
            depth: { type: "integer" },
            kind: {
              anyOf: [
                { type: "string", const: "a" },
                { type: "string", const: "b" },
              ],
            },
          },
        },
        { path: "x", kind: "a" },
      ],
    }),
  ),
  ...["typebox/value", "@sinclair/typebox/value"].map(
    (name): Case => ({
      name,
      top: `import { Type } from "${name.replace("/value", "")}"; import { Value } from "${name}"; const Schema = Type.Object({ n: Type.Number() });`,
      expression:
        '[Value.Check(Schema, { n: 1 }), Value.Check(Schema, { n: "1" }), [...Value.Errors(Schema, {})].length > 0]',
      expected: [true, false, true],
    }),
  ),
  ...["typebox/compile", "@sinclair/typebox/compile"].map(
    (name): Case => ({
      name,
      top: `import { Type } from "typebox"; import { Compile } from "${name}"; const compiled = Compile(Type.Object({ n: Type.Number() }));`,
      expression: '[compiled.Check({ n: 1 }), compiled.Check({ n: "1" })]',
      expected: [true, false],
    }),
  ),
];

test.each(sampled([...builtins, ...agents]))("a hook can use $name", async ({ top, expression, expected }) => {
  const { reason, hook } = await startFolder(hookFolder({ "index.ts": answering(expression, top) }));
  expect(hook().state, hook().reason).toBe("active");
  expect(JSON.parse((await reason()) ?? "null")).toEqual(expected);
});

test("built-ins are available to require and under both of their names", async () => {
  const source = answering(
    '[require("path").join("a", "b"), require("node:util").format("%d", 1), path === require("node:path") || path.join("c")]',
    'import path from "path";',
  );
  const { reason } = await startFolder(hookFolder({ "index.ts": source }));
  expect(JSON.parse((await reason()) ?? "null").slice(0, 2)).toEqual(["a/b", "1"]);
});

test("a hook's own package with an offered name does not replace Cordon's module", async () => {
  const folder = hookFolder({
    "index.ts": answering(
      '[isBashToolResult({ toolName: "bash" } as any), typeof join]',
      'import { isBashToolResult } from "@mariozechner/pi-coding-agent/hooks"; import { join } from "path";',
    ),
    "node_modules/@mariozechner/pi-coding-agent/package.json":
      '{ "name": "@mariozechner/pi-coding-agent", "exports": { "./hooks": "./fake.js" } }',
    "node_modules/@mariozechner/pi-coding-agent/fake.js": "export const isBashToolResult = () => 'fake';",
    "node_modules/path/index.js": "exports.join = 1;",
  });
  const { reason } = await startFolder(folder);
  expect(JSON.parse((await reason()) ?? "null")).toEqual([true, "function"]);
});
