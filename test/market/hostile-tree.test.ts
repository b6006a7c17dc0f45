import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Registry } from "../support/registry.ts";
import { HOOK } from "./hostile-tar.ts";
import { Machine, NO_NAMES, type Ran } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

let registry: Registry;
let machine: Machine;

beforeEach(async () => {
  registry = await Registry.start();
  onTestFinished(() => registry.close());
  machine = new Machine();
});

/** A package that says its own name and version. */
const publish = (name: string, version: string, dependencies?: Record<string, string>, more: Rest = {}): void =>
  registry.publish({
    name,
    version,
    files: { "index.js": `module.exports = "${name} ${version}";`, ...more.files },
    ...(dependencies ? { dependencies } : {}),
    ...(more.json ? { json: more.json } : {}),
  });

interface Rest {
  files?: Record<string, string>;
  json?: Record<string, unknown>;
}

/** Adds a hook that reports what it imports under these names. */
async function add(dependencies: Record<string, string>, names = Object.keys(dependencies)): Promise<Ran> {
  const imports = names.map((name, at) => `import m${at} from ${JSON.stringify(name)};`).join("\n");
  const said = names.map((_name, at) => `String(m${at})`).join(' + ", " + ') || '"no"';
  const source = `${imports}\n${HOOK.replace("'no'", said)}`;
  const path = machine.package("gate", { dependencies }, { "index.ts": source });
  machine.useRegistry(registry.url);
  return machine.run(["add", path, "--grant", "none"]);
}

const places = (): string[] => Object.keys((machine.table("hooks.lock").gate?.dependencies ?? {}) as object).sort();

async function expectRefused(done: Ran, says: RegExp): Promise<void> {
  expect(done).toMatchObject({ code: 1, stdout: "" });
  expect(done.stderr).toMatch(/^cordon: .*\n$/);
  expect(done.stderr.length).toBeLessThan(1500);
  expect(done.stderr).toMatch(says);
  expect(machine.names()).toEqual(NO_NAMES);
}

test("each package of a circle is fetched once", async () => {
  publish("a", "1.0.0", { b: "1" });
  publish("b", "1.0.0", { c: "1" });
  publish("c", "1.0.0", { a: "1", c: "1" });
  expect(await add({ a: "1" }, ["a", "c"])).toMatchObject({ code: 0, stderr: "" });
  expect(places()).toEqual(["node_modules/a", "node_modules/b", "node_modules/c"]);
  expect((await machine.host()).said).toBe("a 1.0.0, c 1.0.0");
});

test("two versions in an endless circle are nested until they are refused or complete", async () => {
  const last = 40;
  for (let at = 1; at <= last; at++) {
    publish("a", `${at}.0.0`, { b: String(at) });
    publish("b", `${at}.0.0`, at < last ? { a: String(at + 1) } : undefined);
  }
  expect(await add({ a: "1" })).toMatchObject({ code: 0, stderr: "" });
  expect(places().length).toBe(2 * last);
  expect((await machine.host()).said).toBe("a 1.0.0");
});

test("a path too deep for any file system is refused, and leaves nothing", async () => {
  const name = `@${"s".repeat(100)}/${"n".repeat(100)}`;
  for (let at = 1; at <= 60; at++) publish(name, `${at}.0.0`, { [name]: String(at + 1) });
  publish(name, "61.0.0");
  const done = await add({ [name]: "1" });
  await expectRefused(done, /could not be fetched|is refused/);
});

test("too many packages are refused, and none of them is fetched", async () => {
  const dependencies: Record<string, string> = {};
  for (let at = 0; at < 1001; at++) {
    publish(`d.${at}`, "1.0.0");
    dependencies[`d.${at}`] = "1";
  }
  await expectRefused(await add(dependencies, []), /more than 1000 dependencies/);
  expect(registry.requests.filter(({ path }) => path.endsWith(".tgz"))).toEqual([]);
});

test("a tarball's files are in its own folder, even if it contains other packages", async () => {
  publish("sibling", "1.0.0");
  publish("above", "1.0.0", { inner: "1" }, { files: { "node_modules/inner/index.js": 'module.exports = "shadow";' } });
  publish("inner", "1.0.0");
  publish("thief", "1.0.0", undefined, {
    files: {
      "node_modules/sibling/index.js": 'module.exports = "stolen";',
      "node_modules/sibling/package.json": '{"name":"sibling","version":"1.0.0"}',
      "node_modules/.bin/node": "stolen",
      "node_modules/.package-lock.json": "{}",
    },
  });
  expect(await add({ sibling: "1", thief: "1", above: "1", inner: "1" })).toMatchObject({ code: 0, stderr: "" });
  expect((await machine.host()).said).toBe("sibling 1.0.0, thief 1.0.0, above 1.0.0, inner 1.0.0");
  expect(places()).toEqual(["above", "inner", "sibling", "thief"].map((name) => `node_modules/${name}`));
});

test("an alias has the name that the hook imports, and is shown with its real name", async () => {
  publish("real", "1.0.0");
  const done = await add({ famous: "npm:real@1" });
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(/^with +real 1\.0\.0$/m);
  expect((await machine.host()).said).toBe("real 1.0.0");
});

test("a package's bundled dependencies are installed with it and shadow nothing outside of it", async () => {
  publish("word", "1.0.0");
  publish(
    "bundler",
    "1.0.0",
    { word: "1" },
    {
      json: { bundleDependencies: ["word"] },
      files: {
        "index.js": 'module.exports = require("word");',
        "node_modules/word/index.js": 'module.exports = "bundled";',
        "node_modules/word/package.json": '{"name":"word","version":"1.0.0","main":"index.js"}',
      },
    },
  );
  expect(await add({ bundler: "1", word: "1" })).toMatchObject({ code: 0, stderr: "" });
  expect((await machine.host()).said).toBe("bundled, word 1.0.0");
});

const RANGES: [name: string, spec: string][] = [
  ["a URL", "http://127.0.0.1:9/x.tgz"],
  ["an alias of a URL", "npm:http://127.0.0.1:9/x.tgz"],
  ["a folder", "file:."],
  ["a workspace", "workspace:*"],
  ["a repository", "git+http://127.0.0.1:9/x.git"],
];

test.each(RANGES)("%s among the dependencies of a dependency is refused without a request", async (_name, spec) => {
  publish("word", "1.0.0", { far: spec });
  await expectRefused(await add({ word: "1" }), /from no registry|could not be fetched/);
});

test("missing optional, peer and single-platform dependencies are left out", async () => {
  publish("native", "1.0.0", undefined, { json: { os: [process.platform] } });
  publish("word", "1.0.0", undefined, {
    json: {
      optionalDependencies: { missing: "1", native: "1" },
      peerDependencies: { brought: "1" },
      overrides: { word: "2" },
    },
  });
  expect(await add({ word: "1" })).toMatchObject({ code: 0, stderr: "" });
  expect(places()).toEqual(["node_modules/word"]);
});

const FOREIGN: [key: string, value: string][] = [
  ["os", "none-such"],
  ["cpu", "none-such"],
];

test.each(FOREIGN)(
  "a dependency for another %s is refused or fetched, and leaves nothing incomplete",
  async (key, value) => {
    publish("word", "1.0.0", undefined, { json: { [key]: [value] } });
    const done = await add({ word: "1" });
    if (done.code === 0) expect((await machine.host()).said).toBe("word 1.0.0");
    else await expectRefused(done, /could not be fetched/);
  },
);

test("a package's own settings for npm have no effect", async () => {
  publish("word", "1.0.0", { deep: "^1" }, { files: { "index.js": 'module.exports = require("deep");' } });
  for (const version of ["1.0.0", "2.0.0"]) publish("deep", version);
  const path = machine.package(
    "gate",
    { dependencies: { word: "1" }, overrides: { deep: "2.0.0" }, workspaces: ["."], resolutions: { deep: "2.0.0" } },
    {
      "index.ts": `import word from "word";\n${HOOK.replace("'no'", "word")}`,
      "npm-shrinkwrap.json": JSON.stringify({
        lockfileVersion: 3,
        packages: { "node_modules/deep": { version: "2.0.0", resolved: "http://127.0.0.1:9/x.tgz" } },
      }),
    },
  );
  machine.useRegistry(registry.url);
  const done = await machine.run(["add", path, "--grant", "none"]);
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect((await machine.host()).said).toBe("deep 1.0.0");
});

const NAMES = [".bin", "node_modules", "..", "favicon.ico", "a/b", "@a", "a".repeat(300), "__proto__", "a\u0000b"];

test.each(NAMES)("a dependency called %j is refused", async (name) => {
  const dependencies = JSON.parse(`{${JSON.stringify(name)}: "1"}`);
  if (/^[\w.]+$/.test(name)) publish(name, "1.0.0");
  await expectRefused(await add(dependencies, []), /could not be fetched|is refused|not a version/);
});

test("a version that npm would read as a file is invalid", async () => {
  publish("word", "1.0.0-x.tgz");
  await expectRefused(await add({ word: "latest" }), /not a version of a package|could not be fetched/);
});

test.each([
  ["at the limit of total size", 4, 0],
  ["over the limit of total size", 5, 1],
])("dependencies that are %s", async (_name, count, code) => {
  const dependencies: Record<string, string> = {};
  for (let at = 0; at < count; at++) {
    publish(`large.${at}`, "1.0.0", undefined, { files: { "large.txt": "large ".repeat(8e6) } });
    dependencies[`large.${at}`] = "1";
  }
  const done = await add(dependencies, []);
  expect(done.code).toBe(code);
  if (code === 1) await expectRefused(done, /more than 30000 files or 200 MB/);
});

test("dependencies with too many files in total are refused, and leave nothing", async () => {
  const dependencies: Record<string, string> = {};
  const files = Object.fromEntries(Array.from({ length: 4990 }, (_, at) => [`f/${at}`, ""]));
  for (let at = 0; at < 7; at++) {
    publish(`many.${at}`, "1.0.0", undefined, { files });
    dependencies[`many.${at}`] = "1";
  }
  await expectRefused(await add(dependencies, []), /more than 30000 files or 200 MB/);
  expect(existsSync(join(machine.home, "quarantine")) ? readdirSync(join(machine.home, "quarantine")) : []).toEqual([]);
});
