import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { writeFiles } from "../support/session.ts";
import { countingRuntime } from "./counting-runtime.ts";
import { answering, hookFolder, startFolder } from "./hook-folder.ts";

const files = {
  "index.ts": answering("n", 'import { n } from "./second";'),
  "second.ts": 'export const n = "honest";\n',
};

/** One start and one verdict. */
async function once(folder: string, entry?: string): Promise<string | undefined> {
  const { host, reason, hook } = await startFolder(folder, entry);
  expect(hook().state, hook().reason).toBe("active");
  const said = await reason();
  await host.close();
  return said;
}

const bundlesOf = (folder: string): string[] =>
  readdirSync(join(folder, "home", "bundles"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, "home", "bundles", name));
const listOf = (folder: string): string => {
  const sources = join(folder, "home", "bundles", "sources");
  return join(sources, readdirSync(sources)[0] as string);
};

test("a second start runs no esbuild, a changed file runs it once", async () => {
  const folder = hookFolder(files);
  const builds = countingRuntime(join(folder, "home"));
  expect([await once(folder), builds()]).toEqual(['"honest"', 1]);
  expect([await once(folder), builds()]).toEqual(['"honest"', 0]);
  writeFiles(join(folder, "hook"), { "second.ts": 'export const n = "new";\n' });
  expect([await once(folder), builds()]).toEqual(['"new"', 1]);
  writeFiles(join(folder, "hook"), files);
  expect(await once(folder)).toBe('"honest"');
});

test("reload of a changed hook in a running host runs the new code", async () => {
  const folder = hookFolder(files);
  const { host, reason } = await startFolder(folder);
  writeFiles(join(folder, "hook"), { "second.ts": 'export const n = "new";\n' });
  expect(await reason()).toBe('"honest"');
  await host.reload(host.hooks[0]?.id);
  expect(await reason()).toBe('"new"');
});

const rewrite = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, "utf8")));

const tampering: { name: string; tamper(folder: string): void }[] = [
  {
    name: "changed code",
    tamper: (folder) => rewrite(bundlesOf(folder)[0] as string, (text) => text.replace("honest", "stolen")),
  },
  {
    name: "one flipped byte of the map",
    tamper: (folder) => rewrite(bundlesOf(folder)[0] as string, (text) => text.replace("mappings", "mappingz")),
  },
  {
    name: "a truncated file",
    tamper: (folder) => rewrite(bundlesOf(folder)[0] as string, (text) => text.slice(0, text.length / 2)),
  },
  { name: "an empty file", tamper: (folder) => rewrite(bundlesOf(folder)[0] as string, () => "") },
  {
    name: "zeros, as after a power loss",
    tamper: (folder) => rewrite(bundlesOf(folder)[0] as string, (text) => "\0".repeat(text.length)),
  },
  {
    name: "a list of sources that is zeros",
    tamper: (folder) => rewrite(listOf(folder), (text) => "\0".repeat(text.length)),
  },
  { name: "null", tamper: (folder) => rewrite(bundlesOf(folder)[0] as string, () => "null") },
  {
    name: "a wrong recorded hash",
    tamper: (folder) =>
      rewrite(bundlesOf(folder)[0] as string, (text) => text.replace(/"sha256":"[0-9a-f]{8}/, '"sha256":"00000000')),
  },
  { name: "no file", tamper: (folder) => rmSync(bundlesOf(folder)[0] as string) },
  { name: "a list of sources that is not JSON", tamper: (folder) => rewrite(listOf(folder), () => "{") },
  {
    name: "a list of sources with another shape",
    tamper: (folder) => rewrite(listOf(folder), () => '{ "files": [null, 1] }'),
  },
  { name: "an empty list of sources", tamper: (folder) => rewrite(listOf(folder), () => '{ "files": [] }') },
  {
    name: "a list that points outside",
    tamper: (folder) => rewrite(listOf(folder), (text) => text.replaceAll("index.ts", "../../outside/index.ts")),
  },
];

test.each(sampled(tampering, 3))("a tampered cache is rebuilt, and never run: $name", async ({ tamper }) => {
  const folder = hookFolder(files);
  const builds = countingRuntime(join(folder, "home"));
  expect([await once(folder), builds()]).toEqual(['"honest"', 1]);
  tamper(folder);
  expect([await once(folder), builds()]).toEqual(['"honest"', 1]);
  expect([await once(folder), builds()]).toEqual(['"honest"', 0]);
});

test("another hook's bundle under this hook's name is not run", async () => {
  const folder = hookFolder({ ...files, "evil.ts": answering('"evil"') });
  const builds = countingRuntime(join(folder, "home"));
  await once(folder);
  const [honest] = bundlesOf(folder) as [string];
  await once(folder, "evil.ts");
  const evil = bundlesOf(folder).find((path) => path !== honest) as string;
  copyFileSync(evil, honest);
  builds();
  expect([await once(folder), builds()]).toEqual(['"honest"', 1]);
});

test("a hook is rebuilt if a module would now resolve to another file", async () => {
  const folder = hookFolder({
    "index.ts": answering("n", 'import { n } from "dep";'),
    "node_modules/dep/package.json": '{ "main": "one.js" }',
    "node_modules/dep/one.js": "exports.n = 1;",
    "node_modules/dep/two.js": "exports.n = 2;",
  });
  expect(await once(folder)).toBe("1");
  writeFiles(join(folder, "hook"), { "node_modules/dep/package.json": '{ "main": "two.js" }' });
  expect(await once(folder)).toBe("2");
});

test("nobody else can read the cache", async () => {
  const folder = hookFolder(files);
  await once(folder);
  expect([...bundlesOf(folder), listOf(folder)].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0]);
});

/** The digest of a hook after a start, with what a home's cache knows. */
async function digestIn(folder: string): Promise<string | undefined> {
  const { host, hook } = await startFolder(folder);
  await host.close();
  return hook().digest;
}

test.each<[what: string, path: string, text: string, counts?: boolean]>([
  ["a package.json", "package.json", '{"type":"module"}'],
  ["a package.json whose words do nothing", "package.json", '{"description":"new"}'],
  ["a file that goes before", "second.tsx", 'export const n = "other";'],
  ["a folder's file", "second/index.ts", 'export const n = "folder";', false],
  ["a file that nothing looks for", "third.ts", "export {};", false],
])(
  "%s that is there later is noticed, as a fresh cache would, and so is its end",
  async (_what, path, text, counts = true) => {
    const folder = hookFolder(files);
    const before = await digestIn(folder);
    writeFiles(join(folder, "hook"), { [path]: text });
    const after = await digestIn(folder);
    rmSync(join(folder, "home"), { recursive: true });
    expect(after).toBe(await digestIn(folder));
    expect(after !== before).toBe(counts);
    rmSync(join(folder, "hook", path));
    expect(await digestIn(folder)).toBe(before);
  },
);
