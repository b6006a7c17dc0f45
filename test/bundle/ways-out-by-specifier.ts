import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { lazily, refused, using, type WayOut } from "./ways-out.ts";

export const specifiers: WayOut[] = [
  refused("relative JSON", using('import secret from "../outside/secret.json";')),
  refused("relative TypeScript", using('import { secret } from "../outside/secret";')),
  refused("a detour through its own folder", using('import secret from "./lib/../../outside/secret.json";'), (hook) =>
    mkdirSync(join(hook, "lib")),
  ),
  refused("a folder whose name starts like its own", using('import secret from "../hook-beside/secret.json";')),
  refused("the parent", using('import secret from "../secret.json";')),
  refused("an absolute path", using('import secret from "OUTSIDE/secret.json";')),
  refused("an absolute path of the system", using('import secret from "/etc/hostname";')),
  refused("a re-export", using('export * from "../outside/secret"; import secret from "../outside/secret";')),
  refused("a side-effect import", using('import "../outside/secret";', "1")),
  refused("a second file's import", {
    ...using('import secret from "./lib/second";'),
    "lib/second.ts": 'export { default } from "../../outside/secret";',
  }),
  refused("a dynamic import", lazily('import("../outside/secret.json")')),
  refused("require", using('const secret = require("../outside/secret.json");')),
  { name: "require.resolve", files: lazily('require.resolve("../outside/secret.json")'), expected: "harmless" },
  refused("import = require", using('import secret = require("../outside/secret.json");')),
  refused("a text attribute", using('import secret from "../outside/secret.txt" with { type: "text" };')),
  refused("a bytes attribute", using('import secret from "../outside/secret.txt" with { type: "bytes" };')),
  refused("a file: URL", using(`import secret from "${pathToFileURL("/")}OUTSIDE/secret.ts";`)),
  refused("a data: URL", using('import secret from "data:application/json,{}";')),
  refused(
    "a data: URL of code that imports",
    using('import secret from "data:text/javascript,export%20{default}%20from%20%22../outside/secret.json%22";'),
  ),
  refused("an http: URL", using('import secret from "http://127.0.0.1:9/secret.js";')),
  refused("an https: URL", using('import secret from "https://127.0.0.1:9/secret.js";')),
  refused("a URL without a scheme", using('import secret from "//127.0.0.1:9/secret.js";')),
  {
    name: "a node: module that does not exist",
    files: using('import secret from "node:../outside/secret.json";'),
    expected: "failed",
  },
  refused("npm: and jsr: specifiers", using('import secret from "npm:package";')),
  refused("a query", using('import secret from "../outside/secret.json?raw";')),
  refused("a fragment", using('import secret from "../outside/secret.json#x";')),
  refused("an escaped specifier", using('import secret from "\\x2e\\u002e/outside/secret.json";')),
  refused("a node_modules folder above its own", using('import secret from "above";')),
  refused("the imports map of a package above its own", using('import secret from "#above";')),
];

export const expressions: WayOut[] = [
  refused("a concatenated import", lazily('import("../outside/" + pick("secret") + ".json")')),
  refused("a concatenated import without extension", lazily('import("../outside/" + pick("secret"))')),
  refused("an import of a template", lazily("import(`../${pick('secret')}.json`)")),
  refused("an import of a template with two holes", lazily("import(`./../${pick('outside')}/${pick('secret')}.json`)")),
  refused("a concatenated require", lazily('require("../outside/" + pick("secret") + ".json")')),
  refused("a require of a template", lazily("require(`../outside/${pick('secret')}.json`)")),
  refused("a require with a dot before", lazily('require("./../" + pick("secret") + ".json")')),
  refused(
    "a pattern inside that a link leads out of",
    lazily('import("./linked/" + pick("secret") + ".json")'),
    (hook, outside) => symlinkSync(outside, join(hook, "linked")),
  ),
  { name: "import of an expression", files: lazily('import(pick("../outside/secret.json"))'), expected: "harmless" },
  { name: "require of an expression", files: lazily('require(pick("../outside/secret.json"))'), expected: "harmless" },
  { name: "require under another name", files: lazily('(0, require)("../outside/secret.json")'), expected: "harmless" },
  {
    name: "new URL relative to import.meta.url",
    files: lazily('String(new URL("../outside/secret.json", import.meta.url)).length'),
    expected: "harmless",
  },
  {
    name: "module.createRequire",
    files: using(
      'import { createRequire } from "node:module"; const secret = createRequire(import.meta.url)("../outside/secret.json");',
    ),
    expected: "refused",
  },
];
