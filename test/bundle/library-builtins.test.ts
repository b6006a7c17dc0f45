import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { hookFolder, startFolder } from "./hook-folder.ts";

/** A library may name a built-in that no hook can have: it loads, and what it uses of it throws. */

const library = (source: string, type = "commonjs") => ({
  "node_modules/lib/package.json": JSON.stringify({ name: "lib", type, main: "index.js" }),
  "node_modules/lib/index.js": source,
});

/** The reason of a gate that says what the library's `tell` gives. */
async function told(files: Record<string, string>) {
  const folder = hookFolder({
    ...files,
    "index.ts": `import * as lib from "lib";
      export default (pi: any) => pi.on("tool_call", () => {
        try { return { block: true, reason: JSON.stringify(lib.tell()) }; }
        catch (error: any) { return { block: true, reason: error.code + " " + error.message }; }
      });`,
  });
  const { host, hook, reason } = await startFolder(folder);
  return { state: hook().state, why: hook().reason, told: await reason(), lacks: host.lacks(hook().id) };
}

// biome-ignore format: a table
test.each<[claim: string, source: string, type: string, said: string | RegExp]>([
  ["is required and not used", `const tls = require("tls"); exports.tell = () => 1;`, "commonjs", "1"],
  ["is imported and not used", `import tls, { connect } from "node:tls"; export const tell = () => typeof connect + typeof tls.connect;`, "module", '"functionfunction"'],
  ["is called", `const { connect } = require("tls"); exports.tell = () => connect(1);`, "commonjs", /^IMPORT_REFUSED import "tls" cannot be offered to a hook: it reaches outside the sandbox; used for its connect$/],
  ["is constructed", `import { Worker } from "node:worker_threads"; export const tell = () => new Worker("x");`, "module", /^IMPORT_REFUSED .*a hook is one isolate.*; used for its Worker$/],
  ["is extended", `const { Server } = require("tls"); class Own extends Server {} exports.tell = () => new Own();`, "commonjs", /used for its Server$/],
  ["says what it is", `import { isMainThread, parentPort } from "worker_threads"; export const tell = () => [isMainThread, parentPort];`, "module", "[true,null]"],
  ["has constants", `const http2 = require("http2"); exports.tell = () => http2.constants.HTTP2_HEADER_STATUS;`, "commonjs", '":status"'],
  ["runs code", `const vm = require("vm"); exports.tell = () => vm.runInThisContext("1 + 1");`, "commonjs", /^IMPORT_REFUSED .*digest could not cover; used for its runInThisContext$/],
  ["is required where its lack is caught", `let vm; try { vm = require("vm"); } catch (error) { vm = error.code; } exports.tell = () => vm;`, "commonjs", '"IMPORT_REFUSED"'],
  ["is imported where its lack is caught", `const vm = await import("vm").catch((error) => error.code); export const tell = () => vm;`, "module", '"IMPORT_REFUSED"'],
])("a built-in of a library's that %s", async (_claim, source, type, said) => {
  const { state, why, told: answer, lacks } = await told(library(source, type));
  expect([state, why]).toEqual(["active", undefined]);
  if (typeof said === "string") expect(answer).toBe(said);
  else expect(answer).toMatch(said);
  expect(lacks).toHaveLength(1);
});

test.each(["mjs", "cjs", "js"])("a library's file may end in .%s", async (end) => {
  const isEsm = end !== "cjs";
  const source = isEsm
    ? `import threads, { isMainThread } from "worker_threads"; export const tell = () => [isMainThread, threads.isMainThread];`
    : `const threads = require("worker_threads"); exports.tell = () => [threads.isMainThread, threads.isMainThread];`;
  const { state, told: answer } = await told({
    "node_modules/lib/package.json": JSON.stringify({
      name: "lib",
      type: isEsm ? "module" : "commonjs",
      main: `main.${end}`,
    }),
    [`node_modules/lib/main.${end}`]: source,
  });
  expect([state, answer]).toEqual(["active", "[true,true]"]);
});

test("the hook's own file is refused as before, in a folder of a like name, too", async () => {
  const own = `import { connect } from "node:tls"; export const tell = () => connect(1);`;
  const { state, why } = await told({
    "node_modules_own/lib.ts": own,
    ...library(`module.exports = require("../../node_modules_own/lib.ts");`),
  });
  expect([state, why]).toEqual(["failed", expect.stringContaining('import "node:tls" cannot be offered to a hook')]);
});

test("tty says that there is no terminal, and diagnostics_channel joins who is in the bundle", async () => {
  const { told: answer, lacks } = await told(
    library(`const tty = require("tty"); const { channel } = require("node:diagnostics_channel");
      exports.tell = () => { const heard = []; channel("x").subscribe((m) => heard.push(m)); channel("x").publish(1);
        let wrong; try { new tty.ReadStream(0); } catch (error) { wrong = error.message; }
        return [tty.isatty(1), heard, wrong]; };`),
  );
  expect(answer).toBe('[false,[1],"tty.ReadStream is not offered to hooks: a hook has no terminal"]');
  expect(lacks).toEqual([]);
});

// biome-ignore format: a table
test.each<[claim: string, ask: string, said: unknown]>([
  ["events is the class EventEmitter", `const E = require("events"); class Own extends E {} return [new Own() instanceof E.EventEmitter, E === E.EventEmitter, typeof E.once, E.defaultMaxListeners];`, [true, true, "function", 10]],
  ["events, and what is in it", `const { EventEmitter } = require("node:events"); const all = []; const e = new EventEmitter(); e.on("x", (y) => all.push(y)); e.emit("x", 1); return all;`, [1]],
  ["it is the same one as is imported", `return require("events") === lib.EventEmitter;`, true],
  ["stream is the class Stream", `const S = require("stream"); class Own extends S {} return [typeof new Own().pipe, S.Stream === S, typeof S.Readable];`, ["function", true, "function"]],
  ["assert is a function", `const a = require("assert"); a(1); const { equal } = a; equal(1, "1"); try { a(0); } catch (error) { return error.code; }`, "ERR_ASSERTION"],
  ["fs has members that may be set, as graceful-fs sets them", `const fs = require("fs"); fs.close = () => 1; fs.mine = 2; return [require("node:fs").close(), fs.mine, typeof fs.readFileSync, typeof fs.promises.readFile, typeof fs.constants.O_RDONLY];`, [1, 2, "function", "function", "number"]],
  ["so have http, https, crypto and child_process", `return ["http", "https", "crypto", "child_process"].map((name) => { const whole = { http: require("http"), https: require("https"), crypto: require("crypto"), child_process: require("child_process") }[name]; whole.mine = name; return [whole.mine, Object.keys(whole).length > 3]; });`, [["http", true], ["https", true], ["crypto", true], ["child_process", true]]],
  ["assert/strict is one, too", `const a = require("assert/strict"); a(1); try { a.equal(1, "1"); } catch (error) { return error.code; }`, "ERR_ASSERTION"],
])("as Node's require gives it, %s", async (_claim, ask, said) => {
  const { why, told: answer } = await told({
    ...library(`const lib = require("./imports.mjs"); exports.tell = () => { ${ask} };`),
    "node_modules/lib/imports.mjs": `export { EventEmitter } from "events";`,
  });
  expect(why).toBeUndefined();
  expect(JSON.parse(answer ?? "")).toEqual(said);
});

test("graceful-fs, which replaces members of fs, loads", async () => {
  const from = join(PACKAGE_ROOT, "node_modules/graceful-fs");
  const names = readdirSync(from).filter((name) => /\.js(on)?$/.test(name));
  const { why, told: answer } = await told({
    ...library(`const fs = require("graceful-fs"); exports.tell = () => [typeof fs.gracefulify, typeof fs.readFile];`),
    ...Object.fromEntries(
      names.map((name) => [`node_modules/graceful-fs/${name}`, readFileSync(join(from, name), "utf8")]),
    ),
  });
  expect([why, answer]).toEqual([undefined, '["function","function"]']);
});

test.each([
  ["is told what it is", `return [isMainThread, threads.isMainThread, typeof Worker].join();`, "true,true,function"],
  [
    "marks what is for no other thread",
    `return String(threads.markAsUncloneable({})) + threads.markAsUntransferable({});`,
    "undefinedundefined",
  ],
  [
    "is refused where it uses one",
    `return new Worker("x");`,
    /^IMPORT_REFUSED .*a hook is one isolate.*; used for its Worker$/,
  ],
])("a hook that imports worker_threads itself loads, and %s", async (_claim, uses, says) => {
  const source = `import threads, { isMainThread, Worker } from "node:worker_threads";
    export default (pi: any) => pi.on("tool_call", () => {
      let said; try { said = (() => { ${uses} })(); } catch (error: any) { said = error.code + " " + error.message; }
      return { block: true, reason: said };
    });`;
  const { host, reason } = await startFolder(hookFolder({ "index.ts": source }));
  expect(await reason()).toMatch(says);
  expect(host.hooks.flatMap(({ id }) => host.lacks(id))).toEqual(["node:worker_threads"]);
});

// biome-ignore format: a table
test.each<[claim: string, source: string, use: string, expected: object]>([
  ["is loaded where code runs, and caught", 'import "absent"; export const one = 1;', 'import("lib").then(() => "loaded", (error: any) => error.code)', { state: "active", told: "ERR_MODULE_NOT_FOUND" }],
  ["is loaded where code runs, by a second file", 'export * from "./more.js";', 'import("lib").catch((error: any) => error.message)', { state: "active", told: "Cannot find package 'absent', imported by node_modules/lib/more.js" }],
  ["is never loaded", 'import "absent"; export const one = 1;', 'false ? import("lib") : "went on"', { state: "active", told: "went on" }],
  ["is loaded with the hook", 'import "absent"; export const one = 1;', '(lib as any).one', { state: "failed", why: expect.stringContaining('Could not resolve "absent"') }],
])("a library that lacks a package and %s", async (_claim, source, use, expected) => {
  const isStatic = use.includes("lib as any");
  const folder = hookFolder({
    ...library(source, "module"),
    "node_modules/lib/more.js": 'import "absent";',
    "index.ts": `${isStatic ? 'import * as lib from "lib";' : ""}
      export default (pi: any) => pi.on("tool_call", async () => ({ block: true, reason: String(await (${use})) }));`,
  });
  const { hook, reason } = await startFolder(folder);
  const { state, reason: why } = hook();
  expect({ state, why, told: (await reason())?.replace(/^Blocked by hook \S+: /, "") }).toMatchObject(expected);
});

test("an export that a file of the hook's own lacks is missed alone, beside names that the hook's agent has", async () => {
  const folder = hookFolder({
    "b.ts": "export const other = 1;",
    "index.ts": `import { defineTool } from "@earendil-works/pi-coding-agent"; import { readFileSync } from "node:fs"; import { go } from "./b.js";
      export default () => { console.log(go, defineTool, readFileSync); };`,
  });
  const { hook } = await startFolder(folder);
  const { state, reason } = hook();
  expect(state).toBe("failed");
  expect(reason).toMatch(/^index\.ts:1:\d+: No matching export in "b\.ts" for import "go"/);
  expect(reason).not.toContain("defineTool");
});

test("a package that the hook's own file lacks is missed, wherever it is imported", async () => {
  const folder = hookFolder({
    "more.ts": 'import "absent"; export const one = 1;',
    "index.ts": 'export default (pi: any) => pi.on("tool_call", async () => void (await import("./more.ts")));',
  });
  const { hook } = await startFolder(folder);
  expect(hook()).toMatchObject({
    state: "failed",
    reason: expect.stringMatching(/^more\.ts:1:.*Could not resolve "absent"/),
  });
});
