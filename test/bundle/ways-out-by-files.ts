import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../support/session.ts";
import { answering } from "./hook-folder.ts";
import { MARKER, refused, using, type WayOut } from "./ways-out.ts";

const dep = (fields: object, more: Record<string, string> = {}): Record<string, string> => ({
  ...using('import secret from "dep";'),
  "node_modules/dep/package.json": JSON.stringify({ name: "dep", ...fields }),
  ...Object.fromEntries(Object.entries(more).map(([path, content]) => [`node_modules/dep/${path}`, content])),
});
const mapped = (comment: string, place = "index.ts"): Record<string, string> => ({
  ...using('import "./plain.js";', "1"),
  "plain.js": "globalThis.x = 1;\n",
  [place]: `${place === "index.ts" ? using("", "1")["index.ts"] : "globalThis.x = 1;"}\n${comment}\n`,
});
const inlineMap = Buffer.from(
  JSON.stringify({
    version: 3,
    sources: [`../outside/${MARKER}.ts`],
    sourcesContent: [null],
    mappings: "AAAA",
    names: [],
  }),
).toString("base64");

export const links: WayOut[] = [
  refused("a linked file", using('import secret from "./linked.json";'), (hook, outside) =>
    symlinkSync(join(outside, "secret.json"), join(hook, "linked.json")),
  ),
  refused("a linked file under another extension", using('import secret from "./linked.ts";'), (hook, outside) =>
    symlinkSync(join(outside, "no-extension"), join(hook, "linked.ts")),
  ),
  refused("a link to a link", using('import secret from "./one.json";'), (hook, outside) => {
    symlinkSync(join(outside, "secret.json"), join(hook, "two.json"));
    symlinkSync("two.json", join(hook, "one.json"));
  }),
  refused("a linked folder", using('import secret from "./linked/secret";'), (hook, outside) =>
    symlinkSync(outside, join(hook, "linked")),
  ),
  refused("a linked package in node_modules", using('import secret from "package";'), (hook, outside) => {
    mkdirSync(join(hook, "node_modules"));
    symlinkSync(join(outside, "package"), join(hook, "node_modules", "package"));
  }),
  refused("a linked node_modules", using('import secret from "package";'), (hook, outside) =>
    symlinkSync(outside, join(hook, "node_modules")),
  ),
  refused("a linked package.json's neighbour", using('import secret from "./sub";'), (hook, outside) => {
    mkdirSync(join(hook, "sub"));
    symlinkSync(join(outside, "package", "index.js"), join(hook, "sub", "index.js"));
  }),
  {
    name: "a link inside the folder",
    files: { ...using('import secret from "./linked.json";'), "real.json": "{}" },
    prepare: (hook) => symlinkSync("real.json", join(hook, "linked.json")),
    expected: "harmless",
  },
];

export const packages: WayOut[] = [
  refused("a package's main", dep({ main: "../../../outside/secret.js" })),
  refused("a package's module", dep({ module: "../../../outside/secret.js" })),
  { name: "a package's absolute main", files: dep({ main: "OUTSIDE/secret.js" }), expected: "failed" },
  { name: "a package's exports", files: dep({ exports: "./../../../outside/secret.js" }), expected: "failed" },
  {
    name: "a package's exports pattern",
    files: { ...dep({ exports: { "./*": "./*" } }), ...using('import secret from "dep/../../../outside/secret.js";') },
    expected: "failed",
  },
  {
    name: "a package's imports",
    files: dep(
      { main: "m.js", imports: { "#s": "../../../outside/secret.js" } },
      { "m.js": 'export { default } from "#s";' },
    ),
    expected: "failed",
  },
  {
    name: "a package's imports through a name",
    files: dep({ main: "m.js", imports: { "#s": "above" } }, { "m.js": 'export { default } from "#s";' }),
    expected: "failed",
  },
  {
    name: "a package's browser map",
    files: dep({ main: "m.js", browser: { "./m.js": "../../../outside/secret.js" } }, { "m.js": "export default 1;" }),
    expected: "harmless",
  },
  refused("the folder's own package.json", {
    ...using('import secret from ".";'),
    "package.json": JSON.stringify({ main: "../outside/secret.js" }),
  }),
  {
    name: "tsconfig paths",
    files: {
      ...using('import secret from "secret-module";'),
      "tsconfig.json": JSON.stringify({
        compilerOptions: { baseUrl: ".", paths: { "secret-module": ["../outside/secret.ts"] } },
      }),
    },
    expected: "failed",
  },
  {
    name: "tsconfig baseUrl",
    files: {
      ...using('import secret from "secret";'),
      "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: "../outside" } }),
    },
    expected: "failed",
  },
  {
    name: "tsconfig extends",
    files: {
      ...using('import secret from "secret-module";'),
      "tsconfig.json": JSON.stringify({ extends: "../outside/tsconfig.json" }),
    },
    expected: "failed",
  },
  refused(
    "a JSX import source",
    { "index.tsx": `/** @jsxRuntime automatic @jsxImportSource ../outside */\n${answering("<b />")}` },
    undefined,
    "index.tsx",
  ),
  {
    name: "a triple-slash reference",
    files: using('/// <reference path="../outside/secret.ts" />\n/// <amd-dependency path="../outside/secret" />', "1"),
    expected: "harmless",
  },
];

export const maps: WayOut[] = [
  ["by file", "//# sourceMappingURL=../outside/secret.js.map"],
  ["by file, old style", "//@ sourceMappingURL=../outside/secret.js.map"],
  ["by file, in a block comment", "/*# sourceMappingURL=../outside/secret.js.map */"],
  ["by file, after other words", "// x # sourceMappingURL=../outside/secret.js.map"],
  ["by file, after a space", "// # sourceMappingURL=../outside/secret.js.map"],
  ["by file, twice", "//# sourceMappingURL=a //# sourceMappingURL=../outside/secret.js.map"],
  ["by file, after a line separator", "//\u2028//# sourceMappingURL=../outside/secret.js.map"],
  ["by file, after a form feed", "//\f# sourceMappingURL=../outside/secret.js.map"],
  ["by a file: URL", "//# sourceMappingURL=file://OUTSIDE/secret.js.map"],
  ["inline, with sources outside", `//# sourceMappingURL=data:application/json;base64,${inlineMap}`],
].flatMap(([name, comment]): WayOut[] => [
  { name: `a source map ${name}`, files: mapped(comment as string, "plain.js"), expected: "harmless" },
  {
    name: `a source map ${name}, in a file that uses its own path`,
    files: mapped(`${comment}\nvoid __dirname;`),
    expected: "harmless",
  },
]);

export const odd: WayOut[] = [
  refused("a device", using('import secret from "/dev/zero";')),
  refused("a linked device", using('import secret from "./zero.ts";'), (hook) =>
    symlinkSync("/dev/zero", join(hook, "zero.ts")),
  ),
  refused("what a process knows of itself", using('import secret from "/proc/self/environ";')),
  refused("a native addon", using('import secret from "./addon.node";'), (hook) =>
    writeFiles(hook, { "addon.node": "\x7fELF" }),
  ),
  {
    ...refused("a native addon by require", using('const secret = require("./addon.node");'), (hook) =>
      writeFiles(hook, { "addon.node": "\x7fELF" }),
    ),
    expected: "failed",
  },
  refused("CSS that imports", {
    ...using('import "./style.css";', "1"),
    "style.css": '@import "../outside/secret.css";',
  }),
  refused("a file without an extension that says what it is", using('import secret from "./plain";'), (hook) =>
    writeFiles(hook, { plain: "export default 1;" }),
  ),
  refused(
    "a pipe",
    using('import secret from "./pipe.ts";'),
    (hook) => void execFileSync("mkfifo", [join(hook, "pipe.ts")]),
  ),
  {
    name: "a folder named like a file",
    files: using('import secret from "./folder.ts";'),
    prepare: (hook) => void mkdirSync(join(hook, "folder.ts")),
    expected: "failed",
  },
  { name: "a null byte", files: using('import secret from "./x\\0../outside/secret.json";'), expected: "failed" },
  refused("other case", using('import secret from "../OUTSIDE/SECRET.JSON";'.replace("OUTSIDE", "Outside"))),
  refused("what is not there", using('import secret from "../outside/nothing.json";')),
  { name: "backslashes", files: using('import secret from "..\\\\outside\\\\secret.json";'), expected: "failed" },
  { name: "percent signs", files: using('import secret from "./%2e%2e/outside/secret.json";'), expected: "failed" },
];

/** A hard link is indistinguishable from a file of the folder itself: anyone who can make one can copy the file as well. */
export const hardLink: WayOut = {
  name: "a hard link",
  files: using('import secret from "./hard.json";'),
  prepare: (hook, outside) => linkSync(join(outside, "secret.json"), join(hook, "hard.json")),
  expected: "harmless",
};
