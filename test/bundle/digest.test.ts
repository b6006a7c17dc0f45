import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../support/session.ts";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";

const files = {
  "index.ts": answering(
    "[a, data.n, b]",
    'import { a } from "./lib/a"; import data from "./data.json"; import { b } from "dep";',
  ),
  "index.hook.json": '{ "capabilities": { "ui": ["notify"] }, "priority": 1 }',
  "lib/a.ts": "export const a = 1;\n",
  "data.json": '{ "n": 1 }',
  "node_modules/dep/package.json": '{ "name": "dep", "main": "one.js" }',
  "node_modules/dep/one.js": "exports.b = 1;",
  "node_modules/dep/two.js": "exports.b = 2;",
  "unused.ts": "export {};",
};

/** Starts a host on the folder and closes it again. */
async function digestOf(folder: string, entry?: string, home = "home"): Promise<string> {
  const { host, hook } = await startFolder(folder, entry, { home: join(folder, home) });
  const { digest, reason } = hook();
  await host.close();
  expect(digest, reason).toMatch(/^sha256-[0-9a-f]{64}$/);
  return digest as string;
}

const same: { name: string; change(hook: string): void }[] = [
  { name: "nothing", change: () => {} },
  { name: "times", change: (hook) => utimesSync(join(hook, "index.ts"), 1, 1) },
  {
    name: "a file that is not in the bundle",
    change: (hook) => writeFiles(hook, { "unused.ts": "export const x = 1;", "new.ts": "1" }),
  },
  {
    name: "spaces in the manifest",
    change: (hook) => writeFiles(hook, { "index.hook.json": '{"capabilities":{"ui":["notify"]},\n "priority":1}' }),
  },
  {
    name: "a link to the folder",
    change: (hook) => {
      renameSync(hook, `${hook}-real`);
      symlinkSync(`${hook}-real`, hook);
    },
  },
];

const other: { name: string; change(hook: string): void; entry?: string }[] = [
  { name: "a byte of the entry", change: (hook) => writeFiles(hook, { "index.ts": `${files["index.ts"]} ` }) },
  { name: "a byte of a second file", change: (hook) => writeFiles(hook, { "lib/a.ts": "export const a = 2;\n" }) },
  { name: "a comment in a second file", change: (hook) => writeFiles(hook, { "lib/a.ts": "export const a = 1;//\n" }) },
  { name: "a byte of a JSON file", change: (hook) => writeFiles(hook, { "data.json": '{ "n": 1  }' }) },
  {
    name: "a byte of a dependency",
    change: (hook) => writeFiles(hook, { "node_modules/dep/one.js": "exports.b = 3;" }),
  },
  {
    name: "the file a dependency's package.json points to",
    change: (hook) => writeFiles(hook, { "node_modules/dep/package.json": '{ "name": "dep", "main": "two.js" }' }),
  },
  {
    name: "the entry's name",
    entry: "other.ts",
    change: (hook) => renameSync(join(hook, "index.ts"), join(hook, "other.ts")),
  },
  {
    name: "a file's path",
    change: (hook) => {
      writeFiles(hook, { "lib/a/index.ts": files["lib/a.ts"] });
      rmSync(join(hook, "lib/a.ts"));
    },
  },
  {
    name: "the manifest's value",
    change: (hook) =>
      writeFiles(hook, { "index.hook.json": '{ "capabilities": { "ui": ["notify"] }, "priority": 2 }' }),
  },
  { name: "a removed manifest", change: (hook) => rmSync(join(hook, "index.hook.json")) },
];

test.each(same)("the digest does not change with $name", async ({ change }) => {
  const folder = hookFolder(files);
  const before = await digestOf(folder);
  change(join(folder, "hook"));
  expect(await digestOf(folder)).toBe(before);
  expect(await digestOf(folder, "index.ts", "other-home")).toBe(before);
});

test.each(other)("the digest changes with $name", async ({ change, entry }) => {
  const folder = hookFolder(files);
  const before = await digestOf(folder);
  change(join(folder, "hook"));
  const after = await digestOf(folder, entry);
  expect(after).not.toBe(before);
  expect(await digestOf(folder, entry, "other-home")).toBe(after);
});

test("the same source in another folder has the same digest", async () => {
  const [one, two] = [hookFolder(files), hookFolder({})];
  cpSync(join(one, "hook"), join(two, "hook"), { recursive: true });
  expect(await digestOf(one)).toBe(await digestOf(two));
});

test("a package's digest counts the manifest in its package.json", async () => {
  const folder = hookFolder({
    "src/index.ts": answering("1"),
    "package.json": '{ "name": "gate", "cordon": { "hooks": ["./src/index.ts"] } }',
  });
  const before = await digestOf(folder, "src/index.ts");
  writeFiles(join(folder, "hook"), {
    "package.json": '{ "name": "gate", "cordon": { "hooks": ["./src/index.ts"], "priority": 5 } }',
  });
  expect(await digestOf(folder, "src/index.ts")).not.toBe(before);
});

test("of files that import each other, each is a different hook as the entry", async () => {
  const source = (name: string, peer: string): string =>
    `${answering(`"${name}"`, `import * as peer from "./${peer}"; void peer;`)}`;
  const folder = hookFolder({ "one.ts": source("one", "two"), "two.ts": source("two", "one") });
  expect(await digestOf(folder, "one.ts")).not.toBe(await digestOf(folder, "two.ts"));
  const again = await startFolder(folder, "one.ts");
  expect(await again.reason()).toBe('"one"');
});

test("a copy in another folder does not change the path of the first one", async () => {
  const folder = hookFolder({ "index.ts": answering("__dirname") });
  await digestOf(folder);
  mkdirSync(join(folder, "copy"));
  writeFileSync(join(folder, "copy", "index.ts"), answering("__dirname"));
  const copy = await startFolder(folder, "../copy/index.ts");
  expect(await copy.reason()).toBe(JSON.stringify(join(folder, "copy")));
  const first = await startFolder(folder);
  expect(await first.reason()).toBe(JSON.stringify(join(folder, "hook")));
});
