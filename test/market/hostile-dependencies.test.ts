import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Registry } from "../support/registry.ts";
import { writeFiles } from "../support/session.ts";
import { entry, HOOK, manifestOf, tgz } from "./hostile-tar.ts";
import { Machine, NO_NAMES } from "./world.ts";

const PRIVATE = "what-stands-only-in-a-private-folder";

/** Each way in which npm runs code of a package; the code would create a file. */
const scripts = (machine: Machine): Record<string, string> =>
  Object.fromEntries(
    ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "prepack", "postpack", "build"].map(
      (name) => [name, `touch ${join(machine.folder, "from", `ran-${name}`)}`],
    ),
  );

/** A program in a repository or a package, which must not run. */
const program = (machine: Machine): string =>
  `#!/bin/sh\ntouch ${join(machine.folder, "from", "ran-program")}\nexit 1\n`;

const ran = (machine: Machine): string[] =>
  readdirSync(join(machine.folder, "from")).filter((name) => name.startsWith("ran-"));

/** Whether Cordon's folder contains anything of the private folder. */
function leaked(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some(
    (one) => one.isFile() && readFileSync(join(one.parentPath, one.name)).includes(PRIVATE),
  );
}

/** A machine with a private package beside the added one, which the hook tries to read. */
function machineWithSecrets(): { machine: Machine; secret: string; outer: string } {
  const machine = new Machine();
  const secret = join(machine.folder, "user", "private");
  const files = { "package.json": manifestOf({ name: "private" }), "index.js": `module.exports = "${PRIVATE}";` };
  writeFiles(secret, files);
  writeFiles(machine.home, { "package.json": files["package.json"], "secret.js": files["index.js"] });
  return { machine, secret, outer: machine.home };
}

function depending(machine: Machine, dependencies: Record<string, string>): string {
  const source = `import word from "private"; ${HOOK.replace("'no'", "String(word)")}`;
  return machine.file(
    "gate.tgz",
    tgz(entry("package/package.json", manifestOf({ dependencies })), entry("package/index.ts", source)),
  );
}

const LOCAL: [string, (secret: string, outer: string) => string][] = [
  ["a folder by its path", (secret) => `file:${secret}`],
  ["a folder by its bare path", (secret) => secret],
  ["a folder above the quarantine", () => "file:../.."],
  ["a folder above the quarantine, further up", () => "file:../../.."],
  ["a folder in the person's home", () => "file:~/private"],
  ["a folder as a link", (secret) => `link:${secret}`],
  ["a tarball on this machine", (secret) => `file:${secret}.tgz`],
  ["a repository on this machine", (secret) => `git+${pathToFileURL(secret)}`],
];

test.each(LOCAL)("a dependency on %s brings nothing of this machine into the hook", async (_name, spec) => {
  const { machine, secret, outer } = machineWithSecrets();
  const json = manifestOf({ name: "private" });
  writeFiles(join(machine.folder, "user"), {
    "private.tgz": "",
  });
  execFileSync("tar", ["czf", `${secret}.tgz`, "-C", join(machine.folder, "user"), "private"]);
  writeFiles(secret, { "package.json": json });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", secret, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "private");
  const done = await machine.add(depending(machine, { private: spec(secret, outer) }));
  expect(done).toMatchObject({ code: 1, stdout: "" });
  expect(done.stderr).toMatch(/^cordon: .*\n$/);
  for (const name of ["package.json", "secret.js"]) execFileSync("rm", [join(outer, name)]);
  expect(leaked(machine.home)).toBe(false);
  expect(machine.names()).toEqual(NO_NAMES);
});

const ELSEWHERE = [
  "git+ssh://git@127.0.0.1:9/x.git",
  "git://127.0.0.1:9/x.git",
  "http://127.0.0.1:9/x.tgz",
  "github:../x",
];

test.each(ELSEWHERE)("a dependency on %s fails in one line, and leaves nothing", async (spec) => {
  const { machine } = machineWithSecrets();
  execFileSync("rm", ["-r", machine.home]);
  const done = await machine.add(depending(machine, { private: spec }));
  expect(done).toMatchObject({ code: 1, stdout: "" });
  expect(done.stderr).toMatch(/^cordon: .*\n$/);
  expect(machine.names()).toEqual(NO_NAMES);
});

test("an agent's package among the dependencies is not fetched, in any kind of dependency", async () => {
  const { machine, secret } = machineWithSecrets();
  execFileSync("rm", ["-r", machine.home]);
  const dependencies = {
    "@mariozechner/pi-coding-agent": `file:${secret}`,
    "@strands-agents/sdk": "git+ssh://git@127.0.0.1:9/x.git",
    cordon: "http://127.0.0.1:9/x.tgz",
    typebox: "1",
  };
  const path = machine.package("gate", { dependencies });
  expect(await machine.add(path)).toMatchObject({ code: 0, stderr: "" });
  expect(leaked(machine.home)).toBe(false);
  expect((await machine.session()).said).toBe("no");
});

test("a dependency with the name of a module that Cordon provides does not replace it", async () => {
  const machine = new Machine();
  const evil = 'module.exports = { basename: () => "evil", readFileSync: () => "evil", default: "evil" };';
  const names = ["path", "fs", "node:path", "@mariozechner/pi-coding-agent"];
  const source = `import { basename } from "path"; import { readFileSync } from "node:fs"; import own from "pathe-own";
${HOOK.replace("'no'", 'basename("/a/b") + " " + own + " " + (readFileSync.length > 0)')}`;
  const path = machine.file(
    "gate.tgz",
    tgz(
      entry("package/package.json", manifestOf()),
      entry("package/index.ts", source),
      ...names
        .filter((name) => !name.includes(":"))
        .flatMap((name) => [
          entry(`package/node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", main: "i.js" })),
          entry(`package/node_modules/${name}/i.js`, evil),
        ]),
      entry("package/node_modules/pathe-own/package.json", '{"name":"pathe-own","version":"1.0.0","main":"i.js"}'),
      entry("package/node_modules/pathe-own/i.js", 'module.exports = "own";'),
    ),
  );
  expect(await machine.add(path)).toMatchObject({ code: 0, stderr: "" });
  expect((await machine.session()).said).toMatch(/^b own/);
});

test("no script of a package in a folder, a tarball or a repository runs", async () => {
  const machine = new Machine();
  const json = { scripts: scripts(machine), bin: { git: "./evil.sh", node: "./evil.sh" }, gypfile: true };
  const files = {
    "binding.gyp": "{}",
    "evil.sh": program(machine),
    ".npmrc": "git=./evil.sh\nscript-shell=./evil.sh\nignore-scripts=false\n",
  };
  const folder = machine.package("in-folder", json, files);
  expect(await machine.add(folder)).toMatchObject({ code: 0, stderr: "" });
  const packed = tgz(
    entry("package/package.json", manifestOf({ name: "in-tarball", ...json })),
    entry("package/index.ts", HOOK),
    ...Object.entries(files).map(([name, text]) => entry(`package/${name}`, text, { mode: 0o755 })),
  );
  expect(await machine.add(machine.file("in-tarball.tgz", packed))).toMatchObject({ code: 0, stderr: "" });
  const repository = machine.package(
    "in-repository",
    { ...json, workspaces: ["./a"] },
    { ...files, "a/package.json": manifestOf({ name: "a", ...json }) },
  );
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "evil");
  expect(await machine.add(`git+${pathToFileURL(repository)}`)).toMatchObject({ code: 0, stderr: "" });
  expect(machine.names()).toMatchObject({ lock: ["in-folder", "in-repository", "in-tarball"], left: [] });
  expect(ran(machine)).toEqual([]);
});

test("no script of a dependency runs, and none of its programs is linked", async () => {
  const machine = new Machine();
  const registry = await Registry.start();
  onTestFinished(() => registry.close());
  registry.publish({
    name: "private",
    version: "1.0.0",
    files: { "index.js": 'module.exports = "dependency";', "binding.gyp": "{}", "evil.sh": program(machine) },
    json: { scripts: scripts(machine), bin: { git: "./evil.sh" } },
  });
  const path = depending(machine, { private: "^1.0.0" });
  machine.useRegistry(registry.url);
  const done = await machine.run(["add", path, "--grant", "none"]);
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect((await machine.session()).said).toBe("dependency");
  const names = readdirSync(join(machine.home, "installed"), { recursive: true, encoding: "utf8" });
  expect(names.filter((name) => /\.bin|\.package-lock/.test(name))).toEqual([]);
  expect(ran(machine)).toEqual([]);
});

test("a project's .npmrc names no registry, and nothing that runs", async () => {
  const machine = new Machine();
  mkdirSync(join(machine.work, "bin"));
  writeFiles(machine.work, {
    ".npmrc": `registry=http://127.0.0.1:1/\nscript-shell=${join(machine.work, "bin", "git")}\ngit=${join(machine.work, "bin", "git")}\n`,
    "bin/git": program(machine),
  });
  execFileSync("chmod", ["+x", join(machine.work, "bin", "git")]);
  // The person's own .npmrc names another registry.
  writeFiles(join(machine.folder, "user"), { ".npmrc": "registry=http://127.0.0.1:9/\n" });
  const done = await machine.run(["add", "some-package", "--grant", "none"]);
  expect(done).toMatchObject({ code: 1 });
  expect(done.stderr).not.toContain("127.0.0.1:1/");
  expect(done.stderr).toContain("127.0.0.1:9");
  expect(ran(machine)).toEqual([]);
});

test("a dependency that unpacks to more than a package's limit is refused, and leaves nothing", async () => {
  const machine = new Machine();
  const registry = await Registry.start();
  onTestFinished(() => registry.close());
  registry.publish({
    name: "private",
    version: "1.0.0",
    files: { "index.js": "0", "large.txt": "large ".repeat(45e6) },
  });
  const path = depending(machine, { private: "^1.0.0" });
  machine.useRegistry(registry.url);
  const done = await machine.run(["add", path, "--grant", "none"]);
  expect(done).toMatchObject({ code: 1, stdout: "" });
  expect(done.stderr).toMatch(/^cordon: .*more than.*\n$/);
  expect(machine.names()).toEqual(NO_NAMES);
});
