import { expect, test } from "vitest";
import { onToolCall } from "../support/session.ts";
import { hookFolder, startFolder } from "./hook-folder.ts";

const FIX = "take its build in JavaScript or WebAssembly, another package, or a program by the power exec";
const FAST = {
  "node_modules/fast/package.json": '{ "name": "fast", "main": "index.js" }',
  "node_modules/fast/build/fast.node": "\u007fELF",
};
const IMPORT = `import * as fast from "fast";`;

/** The hook's state and reason, and what its handler says. */
async function tried(files: Record<string, string>, body: string, top = IMPORT) {
  const { hook, reason, host } = await startFolder(hookFolder({ "index.ts": onToolCall(body, top), ...files }));
  const { id, state, reason: why } = hook();
  return { state, why, lacks: host.lacks(id), says: await reason() };
}

test("a package whose code loads a native addon fails with its name, and with what to take", async () => {
  const index = `module.exports = require("./build/fast.node");`;
  expect(await tried({ ...FAST, "node_modules/fast/index.js": index }, "fast.go();")).toMatchObject({
    state: "failed",
    why: `node_modules/fast/index.js:1:18: node_modules/fast/build/fast.node is native code of the package fast, which no hook can run: ${FIX}, imported by node_modules/fast/index.js`,
    lacks: ["native code of the package fast"],
  });
});

test("one that goes on without its addon works, and is said to lack it", async () => {
  const index = `let go = () => "in JavaScript"; try { go = require("./build/fast.node").go; } catch {} module.exports = { go };`;
  const files = { ...FAST, "node_modules/fast/index.js": index };
  expect(await tried(files, "return { block: true, reason: fast.go() };")).toMatchObject({
    says: "in JavaScript",
    lacks: ["native code of the package fast"],
  });
});

// biome-ignore format: a table
const ELSEWHERE: [claim: string, files: Record<string, string>, body: string, top: string, says: string][] = [
  ["by createRequire", { ...FAST, "node_modules/fast/package.json": '{ "name": "fast", "main": "index.js", "type": "module" }', "node_modules/fast/index.js": `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); export const go = () => require("./build/fast.node");` }, "fast.go();", IMPORT, `native code of the package fast, which no hook can run: ${FIX}`],
  ["that a package looks for", { ...FAST, "node_modules/fast/index.js": `exports.go = () => require("node-gyp-build")(__dirname);`, "node_modules/node-gyp-build/index.js": "" }, "fast.go();", IMPORT, `import "node-gyp-build" cannot be offered to a hook: it looks for native code, which no hook can run: take a build in JavaScript or WebAssembly, or another package, imported by node_modules/fast/index.js`],
  ["of the hook's own", { "own.node": "\u007fELF" }, `await import("./own.node");`, "", `own.node is native code, which no hook can run: ${FIX}, imported by index.ts`],
];

test.each(ELSEWHERE)("an addon %s throws where it is loaded", async (_claim, files, body, top, says) => {
  const attempt = `try { ${body} } catch (error: any) { return { block: true, reason: error.message }; }`;
  expect(await tried(files, attempt, top)).toMatchObject({ says: expect.stringContaining(says) });
});

test("a static import of one is refused at its place", async () => {
  const { state, why } = await tried({ "own.node": "\u007fELF" }, "own();", `import own from "./own.node";`);
  expect([state, why]).toEqual(["failed", `index.ts:1:17: own.node is native code, which no hook can run: ${FIX}`]);
});
