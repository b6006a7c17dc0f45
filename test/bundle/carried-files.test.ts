import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_CARRIED_BYTES } from "../../src/bundle/carried-files.ts";
import { namesHash } from "../../src/bundle/package-tree.ts";
import { VisibleFiles } from "../../src/bundle/visible-files.ts";
import { sampled } from "../support/length.ts";
import { writeFiles } from "../support/session.ts";
import { hookFolder, startFolder } from "./hook-folder.ts";

const PACKAGE = { "package.json": '{"name":"pack","version":"1.0.0","type":"module"}' };
const HOOK = `import { tell } from "./tell.mjs";
export default (pi: any) => pi.on("tool_call", async () => ({ block: true, reason: JSON.stringify(await tell()) }));`;

/** A module that evaluates expressions, each to its value or its error. `here` is its folder. */
const telling = (expressions: readonly string[]): string => `
import fs from "node:fs";
import promises from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
const here = path.dirname(fileURLToPath(import.meta.url));
const error = ({ name, code, message, errno, syscall, path }) => ({ name, code, message, errno, syscall, path });
const told = async (ask) => { try { return await ask() ?? null; } catch (thrown) { return error(thrown); } };
const by = (call, ...args) => new Promise((done, fail) => call(...args, (thrown, value) => (thrown ? fail(thrown) : done(value))));
const chunks = async (stream) => { let text = ""; for await (const chunk of stream) text += chunk; return text; };
const facts = ({ size, ...stats }) => [size, stats.isFile?.(), stats.isDirectory?.(), stats.isSymbolicLink?.()];
const kinds = (entries) => entries.map((one) => [one.name, one.isFile(), one.isDirectory()]).sort();
const first = (file) => { const fd = fs.openSync(file, "r"); const bytes = Buffer.alloc(5); fs.readSync(fd, bytes, 0, 5, 2); fs.closeSync(fd); return bytes.toString(); };
export const tell = async () => { const all = []; for (const one of [${expressions.map((one) => `() => ${one}`).join(",\n")}]) all.push(await told(one)); return all; };`;

/** As an installed package is built, unless `packed` is false. */
async function inHook(folder: string, hook: object = {}, packed = true): Promise<{ told: unknown; asked: unknown[] }> {
  const session = await startFolder(folder, "index.ts", { packed }, hook);
  const reason = await session.reason();
  const { state, reason: why } = session.hook();
  const told = state === "active" ? JSON.parse(reason ?? "null") : why;
  await session.host.close();
  return { told, asked: session.errors.map(({ error }) => error) };
}

const inNode = (folder: string): unknown =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import("./hook/tell.mjs").then(async (m) => console.log(JSON.stringify(await m.tell())))`,
      ],
      { cwd: folder, encoding: "utf8", env: {} },
    ),
  );

const FILES = {
  ...PACKAGE,
  "index.ts": HOOK,
  "prompt.md": "ask – twice\n",
  "icon.png": "\u{1F4A1}",
  "prompts/one.txt": "1",
  "prompts/deep/two.txt": "22",
  "prompts/deep/deeper/three.json": "{}",
  "client/inject.js": "never run",
};

/** All read the same as in Node, and ask the host for nothing. */
const READS = [
  `fs.readFileSync(new URL("./prompt.md", import.meta.url), "utf8")`,
  `fs.readFileSync(path.join(here, "prompt.md")).toString("hex")`,
  `fs.readFileSync(path.join(here, "prompt.md"), "base64")`,
  `fs.readFileSync(\`\${here}/prompt.md\`, { encoding: "hex" })`,
  `fs.readFileSync(path.join(here, "prompts", "..", "./prompt.md"), "utf-8")`,
  `promises.readFile(path.join(here, "prompts", "deep", "two.txt"), "utf8")`,
  `by(fs.readFile, path.join(here, "prompts/deep/deeper/three.json"), "utf8")`,
  `chunks(fs.createReadStream(path.join(here, "prompt.md"), { encoding: "utf8", start: 2, end: 8 }))`,
  `first(path.join(here, "prompt.md"))`,
  `fs.readFileSync(path.join(here, "icon.png")).toString("hex")`,
  `fs.readFileSync(path.join(here, "client", "inject.js"), "utf8")`,
  `JSON.parse(fs.readFileSync(path.join(here, "package.json"), "utf8")).version`,
  `fs.existsSync(path.join(here, "prompt.md"))`,
  `fs.existsSync(path.join(here, "prompts"))`,
  `fs.existsSync(path.join(here, "prompts", "none.txt"))`,
  `fs.statSync(path.join(here, "prompts", "none", "deep.txt"))`,
  `fs.statSync(path.join(here, "prompts", "one.txt", "deep.txt"))`,
  `fs.readFileSync(path.join(here, "prompt.md") + "/", "utf8")`,
  `fs.existsSync(path.join(here, "config.json"))`,
  `fs.readFileSync(path.join(here, "config.json"), "utf8")`,
  `promises.readFile(path.join(here, "prompts", "none.txt"), "utf8")`,
  `promises.readFile(path.join(here, "prompts"), "utf8")`,
  `fs.readdirSync(path.join(here, "prompts")).sort()`,
  `promises.readdir(path.join(here, "prompts", "deep")).then((names) => names.sort())`,
  `fs.readdirSync(path.join(here, "prompts"), { recursive: true }).sort()`,
  `kinds(fs.readdirSync(path.join(here, "prompts"), { withFileTypes: true }))`,
  `fs.readdirSync(path.join(here, "prompts", "none.txt"))`,
  `fs.readdirSync(path.join(here, "prompt.md"))`,
  `facts(fs.statSync(path.join(here, "prompt.md")))`,
  `facts(fs.lstatSync(path.join(here, "icon.png")))`,
  `facts(fs.statSync(path.join(here, "prompts/deep"))).slice(1)`,
  `fs.statSync(path.join(here, "prompts", "none.txt"), { throwIfNoEntry: false })`,
  `fs.accessSync(path.join(here, "prompt.md"), fs.constants.R_OK)`,
  `fs.realpathSync(path.join(here, "prompts", "deep", "..")) === path.join(here, "prompts")`,
];

/** A reason has room for so many answers. */
const SOME = 15;

test("a hook reads the files of its package that its code names as Node does, and asks for no power", async () => {
  for (let at = 0; at < READS.length; at += SOME) {
    const reads = READS.slice(at, at + SOME);
    const folder = hookFolder({ ...FILES, "tell.mjs": telling(reads) });
    const { told, asked } = await inHook(folder);
    const real = inNode(folder);
    expect(reads.map((read, one) => [read, Object(told)[one]])).toEqual(
      reads.map((read, one) => [read, Object(real)[one]]),
    );
    expect(asked).toEqual([]);
  }
});

const TEXT = "all of it";
const reading = (path: string): string => telling([`fs.readFileSync(path.join(here, ${path}), "utf8")`]);
const WITHOUT = { "package.json": "{}" };

// biome-ignore format: a table
const CARRIED: readonly [claim: string, files: Record<string, string>][] = [
  ["is named with its folder", { "tell.mjs": reading(`"data/a.txt"`), "data/a.txt": TEXT }],
  ["is named in parts", { "tell.mjs": reading(`"data", "a.txt"`), "data/a.txt": TEXT }],
  ["is in a folder that is named", { "tell.mjs": reading("`data/${'a'}.txt`"), "data/a.txt": TEXT, "data/b/c.txt": "" }],
  ["lies in the 20th folder below the package", { "tell.mjs": reading(`"d/".repeat(20), "a.txt"`), [`${"d/".repeat(20)}a.txt`]: TEXT }],
  ["lies above the file that names it", { "tell.mjs": `export { tell } from "./lib/tell.mjs";`, "lib/tell.mjs": reading(`"..", "a.txt"`), "a.txt": TEXT }],
  ["is named in another file than the one that finds the place", { "tell.mjs": `import fs from "fs"; import { here } from "./here.mjs"; export const tell = async () => [fs.readFileSync(here + "/a.txt", "utf8")];`, "here.mjs": "export const here = import.meta.dirname;", "a.txt": TEXT }],
  ["is of a dependency, though the hook itself is no package", { ...WITHOUT, "tell.mjs": `export { tell } from "dep";`, "node_modules/dep/package.json": '{"name":"dep","version":"2.0.0","main":"main.mjs"}', "node_modules/dep/main.mjs": reading(`"a.txt"`), "node_modules/dep/a.txt": TEXT }],
  ["is read by a file of CommonJS when it loads", { "tell.mjs": `import text from "dep"; export const tell = async () => [text];`, "node_modules/dep/package.json": '{"name":"dep","version":"2.0.0"}', "node_modules/dep/index.js": `module.exports = require("fs").readFileSync(require("path").join(__dirname, "a.txt"), "utf8");`, "node_modules/dep/a.txt": TEXT }],
];

test.each(sampled(CARRIED, 3))("a file is carried that %s", async (_claim, files) => {
  expect(await inHook(hookFolder({ ...PACKAGE, "index.ts": HOOK, ...files }))).toEqual({ told: [TEXT], asked: [] });
});

// biome-ignore format: a table
const ASKED: readonly [claim: string, files: Record<string, string>, change?: (hook: string) => void][] = [
  ["is in no package", { ...WITHOUT, "tell.mjs": reading(`"a.txt"`), "a.txt": TEXT }],
  ["is in a package without a version", { "package.json": '{"name":"pack"}', "tell.mjs": reading(`"a.txt"`), "a.txt": TEXT }],
  ["has a name that is put together", { "tell.mjs": reading(`"a" + ".txt"`), "a.txt": TEXT }],
  ["lies in the 21st folder below the package", { "tell.mjs": reading(`"d/".repeat(21), "a.txt"`), [`${"d/".repeat(21)}a.txt`]: TEXT }],
  ["may be run as a program", { "tell.mjs": reading(`"a.txt"`), "a.txt": TEXT }, (hook) => chmodSync(join(hook, "a.txt"), 0o755)],
  ["lies in a folder with a hidden one", { "tell.mjs": reading("`data/${'a'}.txt`"), "data/a.txt": TEXT, "data/.state": "" }],
  ["lies in a folder whose name ends as that of a file", { "tell.mjs": reading(`"site.template"`), "site.template/a.js": "" }],
  ["is hidden", { "tell.mjs": reading(`".a.txt"`), ".a.txt": TEXT }],
  ["holds secrets", { "tell.mjs": reading(`"server.pem"`), "server.pem": TEXT }],
  ["lies in a folder with code", { "tell.mjs": reading("`data/${'a'}.txt`"), "data/a.txt": TEXT, "data/b/c.ts": "" }],
  ["lies in a folder with a link", { "tell.mjs": reading("`data/${'a'}.txt`"), "data/a.txt": TEXT }, (hook) => symlinkSync("a.txt", join(hook, "data", "link"))],
  ["is a link", { "tell.mjs": reading(`"a.txt"`), "b.txt": TEXT }, (hook) => symlinkSync("b.txt", join(hook, "a.txt"))],
  ["is a link that leads out", { "tell.mjs": reading(`"a.txt"`) }, (hook) => { writeFileSync(join(hook, "../outside/a.txt"), TEXT); symlinkSync("../outside/a.txt", join(hook, "a.txt")); }],
  ["lies outside", { "tell.mjs": reading(`"../outside/a.txt"`) }, (hook) => writeFileSync(join(hook, "../outside/a.txt"), TEXT)],
  ["is of another package", { "tell.mjs": reading(`"node_modules/dep/a.txt"`), "node_modules/dep/a.txt": TEXT }],
];

test("the host is asked for every file of a package that was not installed", async () => {
  const folder = hookFolder({ ...FILES, "tell.mjs": reading(`"prompt.md"`) });
  expect((await inHook(folder, {}, false)).told).toEqual([expect.objectContaining({ code: "NOT_GRANTED" })]);
  expect((await inHook(folder)).told).toEqual([FILES["prompt.md"]]);
});

test("a name that is no text leads to no file, and keeps its folder from being carried", async () => {
  const folder = hookFolder({
    ...PACKAGE,
    "index.ts": HOOK,
    "tell.mjs": reading("`data/${'a'}.txt`"),
    "data/a.txt": TEXT,
  });
  writeFileSync(Buffer.concat([Buffer.from(join(folder, "hook", "data", "x")), Buffer.from([0xff])]), "");
  expect((await inHook(folder)).told).toEqual([expect.objectContaining({ code: "NOT_GRANTED" })]);
});

test("a link that has come into the place of a file is not followed", () => {
  const folder = hookFolder({ ".env": "KEY=1", "a.txt": TEXT });
  const hook = join(folder, "hook");
  symlinkSync(".env", join(hook, "b.txt"));
  const files = new VisibleFiles(hook);
  expect(files.readData(join(hook, "a.txt")).toString()).toBe(TEXT);
  expect(() => files.readData(join(hook, "b.txt"))).toThrow("ENOENT");
  expect(files.seen.map(({ path }) => path)).toEqual(["a.txt"]);
});

test.each([
  ["spaces", `// from${" ".repeat(300_000)}\n// import${" ".repeat(300_000)}\n`],
  ["slashes", `\n// x${"/".repeat(400_000)}a\n`],
])("code with many %s is built within the limits of a build", async (_what, many) => {
  const tell = `${many}${reading(`"a.txt"`)}`;
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, "tell.mjs": tell, "a.txt": TEXT });
  expect((await inHook(folder)).told).toEqual([TEXT]);
});

test("what lies deeper than any carried file is not looked at when a session starts", () => {
  const folder = join(hookFolder(PACKAGE), "hook");
  mkdirSync(join(folder, "d/".repeat(30)), { recursive: true });
  const before = namesHash(folder);
  writeFileSync(join(folder, "d/".repeat(21), "a.txt"), "");
  expect(namesHash(folder)).toBe(before);
  writeFileSync(join(folder, "d/".repeat(20), "a.txt"), "");
  expect(namesHash(folder)).not.toBe(before);
});

test.each(sampled(ASKED, 3))("the host is asked for a file that %s", async (_claim, files, change) => {
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, ...files });
  change?.(join(folder, "hook"));
  const { told, asked } = await inHook(folder);
  expect(told).toEqual([expect.objectContaining({ code: "NOT_GRANTED" })]);
  expect(asked).toEqual([expect.stringContaining("was not granted fs")]);
});

// biome-ignore format: a table
const NOT_MEANT: readonly [claim: string, files: Record<string, string>][] = [
  ["names a module that is imported for its types", { "index.ts": `import type { T } from "./a.ts";\nimport fs from "node:fs";\nimport * as b from './b.ts';\nexport default (pi: any) => { fs.existsSync(import.meta.dirname); b; };`, "a.ts": "export type T = 1;", "b.ts": "" }],
  ["names a module of the bundle", { "index.ts": `import fs from "node:fs";\nimport "./b.ts";\nexport default (pi: any) => { fs.existsSync(import.meta.dirname + "/b.ts"); };`, "b.ts": "(globalThis as any).b = 1;" }],
  ["is code between texts", { "index.ts": "import fs from 'node:fs';\nexport default (pi: any) => { const a = { txt: 1 }; fs.existsSync(`${import.meta.dirname}/${a.txt}`); };", "a.txt": TEXT }],
  ["is of a package without a version, below one that has it", { "index.ts": HOOK, "tell.mjs": `export { tell } from "dep"; import.meta.url;`, "a.txt": TEXT, "node_modules/dep/package.json": '{"name":"dep","main":"main.mjs"}', "node_modules/dep/main.mjs": reading(`"a.txt"`), "node_modules/dep/a.txt": TEXT }],
  ["is in a package that finds out no place", { "index.ts": `import fs from "node:fs";\nexport default (pi: any) => { fs.existsSync("a.txt"); };`, "a.txt": TEXT }],
  ["names a file for a package that reads none", { "index.ts": `export default (pi: any) => { [import.meta.url, "a.txt"]; };`, "a.txt": TEXT }],
];

test.each(sampled(NOT_MEANT, 2))("a bundle carries nothing for what %s", async (_claim, files) => {
  const session = await startFolder(hookFolder({ ...PACKAGE, ...files }), "index.ts", { packed: true });
  const { id, state, reason } = session.hook();
  expect([state, reason]).toEqual(["active", undefined]);
  expect(session.host.carries(id)).toEqual([]);
});

test("the files of all packages in one bundle have up to a megabyte", async () => {
  const own = telling([
    `fs.readFileSync(path.join(here, "a.txt")).length`,
    `fs.readFileSync(path.join(here, "b.txt")).length`,
  ]);
  const dep = telling([`fs.readFileSync(path.join(here, "c.txt")).length`]);
  const folder = hookFolder({
    ...PACKAGE,
    "index.ts": HOOK,
    "tell.mjs": `import { tell as own } from "./own.mjs"; import { tell as dep } from "dep"; export const tell = async () => [...await own(), ...await dep()];`,
    "own.mjs": own,
    "node_modules/dep/package.json": '{"name":"dep","version":"2.0.0","main":"main.mjs"}',
    "node_modules/dep/main.mjs": dep,
  });
  const sizes = async (...[a, b, c]: [number, number, number]): Promise<unknown> => {
    const text = (size: number) => "a".repeat(size);
    writeFiles(join(folder, "hook"), { "a.txt": text(a), "b.txt": text(b), "node_modules/dep/c.txt": text(c) });
    return (await inHook(folder)).told;
  };
  const refused = expect.objectContaining({ code: "NOT_GRANTED" });
  const quarter = MAX_CARRIED_BYTES / 4;
  expect(await sizes(quarter, quarter, 2 * quarter)).toEqual([quarter, quarter, 2 * quarter]);
  expect(await sizes(quarter, quarter, 2 * quarter + 1)).toEqual([quarter, quarter, refused]);
  expect(await sizes(quarter, 3 * quarter + 1, 3 * quarter)).toEqual([quarter, refused, 3 * quarter]);
});

test("5000 files and folders of a package are looked through, and one more is too much", async () => {
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, "tell.mjs": reading(`"a.txt"`), "a.txt": TEXT });
  const here = join(folder, "hook", "many");
  mkdirSync(here);
  // The folder itself, and four in the package's.
  for (let at = 0; at < 4995; at++) writeFileSync(join(here, `${at}.dat`), "");
  expect((await inHook(folder)).told).toEqual([TEXT]);
  writeFileSync(join(here, "more.dat"), "");
  expect((await inHook(folder)).told).toEqual([expect.objectContaining({ code: "NOT_GRANTED" })]);
});

test("hidden names count: with them alone too many, nothing is carried, whatever joins later", async () => {
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, "tell.mjs": reading(`"a.txt"`), "a.txt": TEXT });
  const hidden = join(folder, "hook", ".hidden");
  mkdirSync(hidden);
  for (let at = 0; at < 4995; at++) writeFileSync(join(hidden, `${at}.dat`), "");
  expect((await inHook(folder)).told).toEqual([TEXT]);
  writeFileSync(join(hidden, "more.dat"), "");
  expect((await inHook(folder)).told).toEqual([expect.objectContaining({ code: "NOT_GRANTED" })]);
});

test("a hook copies a file of its package with the power to write alone, and looks without losing it", async () => {
  const expressions = [
    `fs.copyFileSync(path.join(here, "prompt.md"), "copy.md")`,
    `fs.accessSync(path.join(here, "prompt.md"), fs.constants.W_OK)`,
    `fs.readFileSync(path.join(here, "prompt.md"), "utf8")`,
  ];
  const folder = hookFolder({ ...FILES, "tell.mjs": telling(expressions) });
  const capabilities = { events: { see: ["*"], block: true }, fs: { write: ["$CWD/copy.md"] } };
  const { told } = await inHook(folder, { grant: { capabilities } });
  expect(told).toEqual([null, expect.objectContaining({ code: "NOT_GRANTED" }), FILES["prompt.md"]]);
  expect(readFileSync(join(folder, "work", "copy.md"), "utf8")).toBe(FILES["prompt.md"]);
});

test("what a hook writes, it reads from then on", async () => {
  const folder = hookFolder({
    ...FILES,
    "tell.mjs": telling([
      `fs.readFileSync(path.join(here, "prompt.md"), "utf8")`,
      `fs.writeFileSync(path.join(here, "prompt.md"), "new")`,
      `fs.readFileSync(path.join(here, "prompt.md"), "utf8")`,
      `fs.existsSync(path.join(here, "config.json"))`,
      `fs.accessSync(path.join(here, "prompt.md"), fs.constants.W_OK)`,
      `fs.copyFileSync(path.join(here, "prompts", "one.txt"), path.join(here, "copy.txt"))`,
      `fs.copyFileSync(path.join(here, "prompts", "one.txt"), path.join(here, "copy.txt"), fs.constants.COPYFILE_EXCL)`,
      `promises.readFile(path.join(here, "copy.txt"), "utf8")`,
      `fs.renameSync(path.join(here, "prompt.md"), path.join(here, "config.json"))`,
      `fs.readFileSync(path.join(here, "config.json"), "utf8")`,
      `fs.existsSync(path.join(here, "prompt.md"))`,
      `fs.mkdirSync(path.join(here, "prompts", "mine"))`,
      `fs.readdirSync(path.join(here, "prompts")).sort()`,
      `fs.readFileSync(path.join(here, "prompts", "one.txt"), "utf8")`,
      `fs.rmSync(path.join(here, "prompts"), { recursive: true })`,
      `fs.existsSync(path.join(here, "prompts", "one.txt"))`,
    ]),
  });
  const hook = join(folder, "hook");
  const capabilities = {
    events: { see: ["*"], block: true },
    fs: { read: [`${hook}/**`], write: [`${hook}/**`] },
  };
  const { told } = await inHook(folder, { grant: { capabilities } });
  writeFiles(hook, FILES);
  for (const name of ["config.json", "copy.txt"]) rmSync(join(hook, name));
  expect(told).toEqual(inNode(folder));
});

const KEEPS = { "tell.mjs": reading(`"data", "a.txt"`), "data/a.txt": TEXT, "other.txt": "" };
const digestOf = async (folder: string): Promise<[digest: string | undefined, told: unknown]> => {
  const session = await startFolder(folder, "index.ts", { packed: true });
  const reason = await session.reason();
  const { digest } = session.hook();
  await session.host.close();
  return [digest, JSON.parse(reason ?? "null")];
};

// biome-ignore format: a table
const CHANGES: readonly [change: string, files: Record<string, string>, told: string][] = [
  ["any other file", { "sub/other.bin": "" }, TEXT],
  ["other text in a carried file", { "data/a.txt": "other" }, "other"],
  ["a file beside it in the folder that is named", { "data/b.txt": "" }, TEXT],
];

test.each(CHANGES)("%s gives the hook another digest in the next session", async (_change, files, text) => {
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, ...KEEPS });
  const [before, told] = await digestOf(folder);
  expect(told).toEqual([TEXT]);
  writeFiles(join(folder, "hook"), { "other.txt": "other text in a file that is not named" });
  expect(await digestOf(folder)).toEqual([before, [TEXT]]);
  writeFiles(join(folder, "hook"), files);
  const [after, now] = await digestOf(folder);
  expect(now).toEqual([text]);
  expect(after).not.toBe(before);
});

test("a file that comes into a package on which the hook depends changes the digest, too", async () => {
  const dep = {
    "package.json": '{"name":"dep","version":"2.0.0","main":"main.mjs"}',
    "main.mjs": telling([`fs.readdirSync(path.join(here, "rules"))`]),
    "rules/a.txt": "",
  };
  const files = Object.fromEntries(Object.entries(dep).map(([name, text]) => [`node_modules/dep/${name}`, text]));
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, "tell.mjs": `export { tell } from "dep";`, ...files });
  const [before, told] = await digestOf(folder);
  expect(told).toEqual([["a.txt"]]);
  writeFiles(join(folder, "hook"), { "node_modules/dep/rules/b.txt": "" });
  const [after, now] = await digestOf(folder);
  expect(now).toEqual([["a.txt", "b.txt"]]);
  expect(after).not.toBe(before);
});

test("a refused write leaves what is carried as it was", async () => {
  const expressions = [`fs.mkdirSync(here, { recursive: true })`, `fs.readFileSync(path.join(here, "a.txt"), "utf8")`];
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, "tell.mjs": telling(expressions), "a.txt": TEXT });
  expect((await inHook(folder)).told).toEqual([expect.objectContaining({ code: "NOT_GRANTED" }), TEXT]);
});

test("a file that is named and comes later is carried from then on", async () => {
  const folder = hookFolder({ ...PACKAGE, "index.ts": HOOK, "tell.mjs": reading(`"late.json"`) });
  expect((await inHook(folder)).told).toEqual([expect.objectContaining({ code: "ENOENT" })]);
  writeFiles(join(folder, "hook"), { "late.json": "{}" });
  expect(await inHook(folder)).toEqual({ told: ["{}"], asked: [] });
});
