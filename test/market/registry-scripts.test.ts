import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { writeFiles } from "../support/session.ts";
import { asks, GATE, NOTHING, World } from "./world.ts";

vi.setConfig({ testTimeout: 300_000 });

const SCRIPTS = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepack"];

let world: World;
let marks: string;
let gyp: NodeJS.ProcessEnv;

/** Scripts that each create a file. */
const scripts = (owner: string): Record<string, string> =>
  Object.fromEntries(SCRIPTS.map((script) => [script, `echo > '${join(marks, `${owner}-${script}`)}'`]));

/** A repository with one commit. */
function repository(name: string, files: Record<string, string>): string {
  const folder = join(world.folder, name);
  writeFiles(folder, files);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  return `git+file://${folder}`;
}

beforeEach(async () => {
  world = await World.make();
  marks = join(world.folder, "marks");
  mkdirSync(marks);
  // node-gyp first starts a Python.
  const python = join(world.folder, "python");
  writeFiles(world.folder, { python: `#!/bin/sh\necho > '${join(marks, "gyp")}'\nexit 1\n` });
  chmodSync(python, 0o755);
  gyp = { NODE_GYP_FORCE_PYTHON: python };
  const { registry } = world;
  const binary = { name: "native", version: "1.0.0", files: { "index.js": "", "binding.gyp": "{}" } };
  registry.publish(binary);
  registry.publish({ name: "deep", version: "1.0.0", files: { "index.js": "" }, json: { scripts: scripts("deep") } });
  registry.publish({
    name: "near",
    version: "1.0.0",
    files: { "index.js": "", "run.js": "" },
    dependencies: { deep: "1" },
    json: {
      optionalDependencies: { native: "1" },
      scripts: scripts("near"),
      bin: { near: "./run.js" },
    },
  });
  const far = repository("far", {
    "package.json": JSON.stringify({ name: "far", version: "1.0.0", scripts: scripts("far") }),
    "index.js": "",
  });
  registry.publish({
    name: "gate",
    version: "1.0.0",
    files: { "index.ts": GATE, "binding.gyp": "{}" },
    dependencies: { near: "1" },
    json: { ...asks({}), scripts: scripts("gate") },
  });
  registry.publish({
    name: "reach",
    version: "1.0.0",
    files: { "index.ts": GATE },
    dependencies: { gate: "1", far },
    json: asks({}),
  });
});

test("the control: npm runs these scripts", async () => {
  const path = [
    dirname(process.execPath),
    ...(process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(PACKAGE_ROOT)),
  ];
  const cache = { npm_config_cache: join(world.folder, "npm-cache") };
  const env = { ...process.env, ...world.env, ...cache, ...gyp, PATH: path.join(delimiter) };
  writeFiles(world.folder, { "plain/package.json": '{"name":"plain","version":"1.0.0"}' });
  const args = ["install", "reach", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: join(world.folder, "plain"), env });
  const ran = readdirSync(marks);
  for (const name of ["gate", "near", "deep"]) expect(ran).toContain(`${name}-postinstall`);
  expect(ran).toContain("far-prepare");
  expect(ran).toContain("gyp");
});

test("no script of a package or of its dependencies runs: not in add, rehearsal, session or update", async () => {
  const added = await world.run(["add", "gate", "--grant", "none"], { env: gyp });
  expect([added.code, added.stderr]).toEqual([0, ""]);
  const { installed, left } = world.disk();
  for (const name of ["near", "deep", "native"]) expect(installed).toContain(`gate/node_modules/${name}/index.js`);
  expect(installed.filter((path) => path.includes(".bin"))).toEqual([]);
  expect(left).toEqual([]);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm"]);
  world.registry.publish({
    name: "gate",
    version: "1.0.1",
    files: { "index.ts": `${GATE}// newer\n`, "binding.gyp": "{}" },
    dependencies: { near: "1" },
    json: { ...asks({}), scripts: scripts("gate") },
  });
  const updated = await world.run(["update"], { env: gyp });
  expect([updated.code, updated.stdout]).toEqual([0, "gate: 1.0.0 → 1.0.1: new sessions have it\n"]);
  expect(readdirSync(marks)).toEqual([]);
});

test("a dependency from a repository is refused before it is fetched", async () => {
  const added = await world.run(["add", "reach", "--grant", "none"]);
  expect(added.code).toBe(1);
  expect(added.stderr).toMatch(
    /^cordon: the package is refused: its dependency far@.* is from no registry, .*\(LOAD_FAILED\)\n$/,
  );
  expect(world.disk()).toEqual(NOTHING);
  expect(readdirSync(marks)).toEqual([]);
});

test.each(["repository", "folder", "tarball"])("no script of a hook from a %s runs", async (kind) => {
  const files = {
    "package.json": JSON.stringify({ name: "own", version: "1.0.0", ...asks({}), scripts: scripts("own") }),
    "index.ts": GATE,
    "binding.gyp": "{}",
  };
  const git = repository("own", files);
  const folder = join(world.folder, "own");
  world.registry.publish({ name: "own", version: "1.0.0", files, json: { ...asks({}), scripts: scripts("own") } });
  const spec = { repository: git, folder, tarball: world.registry.tarballUrl("own", "1.0.0") }[kind] ?? "";
  const added = await world.run(["add", spec, "--grant", "none"], { env: gyp });
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect(world.disk().left).toEqual([]);
  expect((await world.verdicts("rm x")).said).toEqual(["no rm"]);
  expect(readdirSync(marks)).toEqual([]);
});
