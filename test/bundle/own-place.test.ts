import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";

interface Case {
  name: string;
  files: Record<string, string>;
  entry?: string;
  /** Relative to the hook's real folder. */
  expected(root: string): unknown;
}

const url = (...path: string[]): string => pathToFileURL(join(...path)).href;

const cases: Case[] = [
  {
    name: "__dirname and __filename in TypeScript",
    files: { "index.ts": answering("[__dirname, __filename]") },
    expected: (root) => [root, join(root, "index.ts")],
  },
  {
    name: "import.meta.url, dirname and filename",
    files: { "index.ts": answering("[import.meta.url, import.meta.dirname, import.meta.filename]") },
    expected: (root) => [url(root, "index.ts"), root, join(root, "index.ts")],
  },
  {
    name: "import.meta written apart",
    files: { "index.ts": answering("import . meta . url") },
    expected: (root) => url(root, "index.ts"),
  },
  {
    name: "a different path for each file",
    files: {
      "index.ts": answering("[__dirname, ...inner]", 'import { inner } from "./lib/inner.js";'),
      "lib/inner.js": "export const inner = [__dirname, __filename, import.meta.url];",
    },
    expected: (root) => [root, join(root, "lib"), join(root, "lib/inner.js"), url(root, "lib/inner.js")],
  },
  {
    name: "a CommonJS dependency's",
    files: {
      "index.ts": answering("place", 'import place from "dep";'),
      "node_modules/dep/package.json": '{ "name": "dep", "main": "./lib/" }',
      "node_modules/dep/lib/index.js": "module.exports = [__dirname, __filename];",
    },
    expected: (root) => [join(root, "node_modules/dep/lib"), join(root, "node_modules/dep/lib/index.js")],
  },
  {
    name: "a file that declares __dirname and __filename itself",
    files: {
      "index.ts": answering(
        "[__filename, __dirname]",
        'import { dirname } from "node:path"; import { fileURLToPath } from "node:url";\nconst __filename = fileURLToPath(import.meta.url);\nconst __dirname = dirname(__filename) + "/own";',
      ),
    },
    expected: (root) => [join(root, "index.ts"), `${root}/own`],
  },
  {
    name: "properties and parameters with these names are not changed",
    files: {
      "index.ts": answering(
        "[{ __dirname: 1 }, ((__filename: string) => __filename)('given'), '__dirname', `import.meta.url`]",
      ),
    },
    expected: () => [{ __dirname: 1 }, "given", "__dirname", "import.meta.url"],
  },
  {
    name: "in a folder with spaces, quotes and characters of URLs",
    entry: 'a b/"q" #1 100%/ü.ts',
    files: { 'a b/"q" #1 100%/ü.ts': answering("[__dirname, import.meta.url]") },
    expected: (root) => [join(root, 'a b/"q" #1 100%'), url(root, 'a b/"q" #1 100%/ü.ts')],
  },
  {
    name: "with types, enums and JSX beside it",
    entry: "index.tsx",
    files: {
      "index.tsx": answering(
        "[__dirname, Kind.B, <b id='1'>x</b>]",
        "/** @jsx h */\nconst h = (...all: unknown[]) => all; enum Kind { A, B } type T = { a: 1 };",
      ),
    },
    expected: (root) => [root, 1, ["b", { id: "1" }, "x"]],
  },
];

test.each(cases)("a file knows its own path: $name", async ({ files, entry, expected }) => {
  const folder = hookFolder(files);
  const { reason, hook } = await startFolder(folder, entry);
  expect(hook().state, hook().reason).toBe("active");
  expect(JSON.parse((await reason()) ?? "null")).toEqual(expected(join(folder, "hook")));
});
