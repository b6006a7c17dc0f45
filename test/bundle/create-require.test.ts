import { expect, test } from "vitest";
import { hookFolder, startFolder } from "./hook-folder.ts";

const GATE = (body: string): string =>
  `export default (pi: any) => pi.on("tool_call", async () => { let told: any; try { told = await (async () => { ${body} })(); } catch (error: any) { told = [error.code, error.message]; } return { block: true, reason: JSON.stringify(told) }; });`;

async function tell(files: Record<string, string>): Promise<unknown> {
  const session = await startFolder(hookFolder(files));
  const reason = await session.reason();
  return session.hook().state === "active" ? JSON.parse(reason ?? "null") : session.hook().reason;
}

const MADE = `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n`;
/** As esbuild writes it for a module whose packages call `require`, in lines and dense. */
const SHIM = `var __require = /* @__PURE__ */ ((x) => typeof require !== "undefined" ? require : typeof Proxy !== "undefined" ? new Proxy(x, {
  get: (a, b) => (typeof require !== "undefined" ? require : a)[b]
}) : x)(function(x) {
  if (typeof require !== "undefined") return require.apply(this, arguments);
  throw Error('Dynamic require of "' + x + '" is not supported');
});`;
const DENSE = `var e=(t=>typeof require<"u"?require:typeof Proxy<"u"?new Proxy(t,{get:(r,o)=>(typeof require<"u"?require:r)[o]}):t)(function(t){if(typeof require<"u")return require.apply(this,arguments);throw Error('Dynamic require of "'+t+'" is not supported')});`;
const FILES = {
  "data.json": '{"from":"json"}',
  "old.cjs": 'exports.name = "old"; exports.file = __filename.split("/").at(-1);',
  "node_modules/dep/package.json": '{"name":"dep","main":"main.js"}',
  "node_modules/dep/main.js": 'module.exports = { name: "dep", version: require("./package.json").name };',
};

// biome-ignore format: a table
const ROWS: readonly [claim: string, files: Record<string, string>, told: unknown][] = [
  ["JSON, a file, a package and a built-in", { "index.ts": MADE + GATE(`return [require("./data.json").from, require("./old.cjs"), require("dep"), require("node:path").posix.sep, require("os").EOL];`) }, ["json", { name: "old", file: "old.cjs" }, { name: "dep", version: "dep" }, "/", "\n"]],
  ["what is required twice is the same", { "index.ts": MADE + GATE(`require("./data.json").from = "changed"; return require("./data.json").from;`) }, "changed"],
  ["under another name, by a namespace, and with a path", { "index.ts": `import * as m from "module";\nconst load$ = m.createRequire(__filename);\nlet other; other = m.default.createRequire(new URL(import.meta.url));\n${GATE(`return [load$("./data.json").from, other('./data.json').from];`)}` }, ["json", "json"]],
  ["called at once", { "index.ts": `import { createRequire as make } from "node:module";\nimport { createRequire } from "node:module";\n${GATE(`return [createRequire(import.meta.url)("./data.json").from, typeof make];`)}` }, ["json", "function"]],
  ["in a CommonJS file of a package", { "index.ts": `import dep from "late";\n${GATE("return dep;")}`, "node_modules/late/index.js": `#!/usr/bin/env node\nconst { createRequire } = require("module");\nconst load = createRequire(__filename);\nmodule.exports = { ...load("./own.json"), dep: load("dep").name };`, "node_modules/late/own.json": '{"own":true}' }, { own: true, dep: "dep" }],
  ["a file only where it is required", { "index.ts": MADE + GATE(`const before = (globalThis as any).ran ?? 0; require("./counts.cjs"); return [before, (globalThis as any).ran];`), "counts.cjs": "globalThis.ran = 1;" }, [0, 1]],
  ["built-ins by the require of another file, as bundlers keep it", { "index.ts": `${MADE}import { r } from "./chunk.mjs";\n${GATE(`return [r("path").posix.sep, r("node:os").EOL];`)}`, "chunk.mjs": `${MADE}export const r = ((x) => typeof require < "u" ? require : x)(() => {});` }, ["/", "\n"]],
  ["built-ins, where esbuild's own function looks for a require", { "index.ts": `import { r } from "./chunk.mjs";\n${GATE(`return r();`)}`, "chunk.mjs": `#!/usr/bin/env node\n${SHIM}\nexport const r = () => [__require("path").posix.sep, __require("node:os").EOL];` }, ["/", "\n"]],
  ["the same in a dense file", { "index.ts": `import { r } from "./chunk.mjs";\n${GATE(`return r();`)}`, "chunk.mjs": `${DENSE}var n=()=>e("path").posix.sep;export{n as r};` }, "/"],
  ["nothing else by it, and says so", { "index.ts": `import { r } from "./chunk.mjs";\n${GATE(`return r();`)}`, "chunk.mjs": `${SHIM}\nexport const r = () => __require("./none.js");` }, ["MODULE_NOT_FOUND", expect.stringContaining("Cannot find module './none.js'")]],
  ["places by resolve", { "index.ts": MADE + GATE(`return [require.resolve("./old.cjs").endsWith("/hook/old.cjs"), require.resolve("dep").endsWith("/dep/main.js"), require.resolve("node:fs")];`) }, [true, true, "node:fs"]],
  ["a comment requires nothing", { "index.ts": `${MADE}// require("../../outside/secret.json")\n${GATE(`return "fine";`)}` }, "fine"],
  ["what is not there, only where it is required", { "index.ts": MADE + GATE(`try { require("./none.json"); } catch (e: any) { return e.code; }`) }, "ERR_MODULE_NOT_FOUND"],
  ["native code, only where it is required", { "index.ts": MADE + GATE(`try { require("./build/x.node"); } catch (e: any) { return e.code; }`), "build/x.node": "\x7fELF" }, "IMPORT_REFUSED"],
  ["the place of a file that no build takes", { "index.ts": MADE + GATE(`return require.resolve("./parser.wasm").endsWith("/hook/parser.wasm");`), "parser.wasm": "\0asm" }, true],
  ["a name that is put together is an error that says what works", { "index.ts": MADE + GATE(`const name = "./da" + "ta.json"; return require(name);`) }, ["MODULE_NOT_FOUND", expect.stringMatching(/^Cannot find module '\.\/data\.json' for .*index\.ts: a bundle has what a file names in plain text/)]],
  ["a refused built-in throws where it is required", { "index.ts": MADE + GATE(`return require("node:worker_threads");`) }, ["IMPORT_REFUSED", expect.stringContaining("a hook is one isolate")]],
  ["a require for another place finds nothing", { "index.ts": `import { createRequire } from "node:module";\nconst require = createRequire("/etc/x.js");\n${GATE(`return require("./passwd.json");`)}` }, ["MODULE_NOT_FOUND", expect.stringContaining("'./passwd.json' for /etc/x.js")]],
  ["names of every object are no modules", { "index.ts": MADE + GATE(`return ["__proto__", "constructor", "toString"].map((name) => { try { require(name); return "found"; } catch (e: any) { return e.code; } });`) }, Array(3).fill("MODULE_NOT_FOUND")],
];

test.each(ROWS)("createRequire finds %s", async (_claim, files, told) => {
  expect(await tell({ ...FILES, ...files })).toEqual(told);
});

test("a file outside the hook's folder fails the build, and not its reading", async () => {
  expect(await tell({ "index.ts": MADE + GATE(`return require("../outside/secret.json");`) })).toMatch(
    /leads outside the hook's folder/,
  );
});
