import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { entry, folder, INDEX, MANIFEST, manifestOf, tgz } from "./hostile-tar.ts";
import { unseen } from "./unseen.ts";
import { Machine, NO_NAMES } from "./world.ts";

const BOMB_PROGRAM = fileURLToPath(new URL("./hostile-bomb-program.ts", import.meta.url));
const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

const REFUSED: [name: string, packed: () => Buffer, refusal: RegExp][] = [
  ["a name that points outside", () => tgz(MANIFEST, INDEX, entry("package/../../outside.txt")), /leads out/],
  ["a link", () => tgz(MANIFEST, INDEX, entry("package/x", "", { type: "2", link: "/etc/passwd" })), /SymbolicLink/],
  ["a hard link", () => tgz(MANIFEST, INDEX, entry("package/x", "", { type: "1", link: "/etc/passwd" })), /is a Link/],
  ["a pipe", () => tgz(MANIFEST, INDEX, entry("package/x", "", { type: "6" })), /FIFO/],
  ["a device", () => tgz(MANIFEST, INDEX, entry("package/x", "", { type: "3" })), /CharacterDevice/],
  ["a name in two cases", () => tgz(MANIFEST, INDEX, entry("package/INDEX.ts")), /one name/],
  [
    "too many files",
    () => tgz(...Array.from({ length: 5001 }, (_, at) => entry(`package/${at}`))),
    /more than 5000 files/,
  ],
  ["a manifest that is a folder", () => tgz(folder("package/package.json/"), INDEX), /package\.json/],
  ["no manifest", () => tgz(INDEX), /package\.json/],
  ["no gzip", () => Buffer.from("<html>sign in</html>".repeat(100)), /tarball|gzip|TAR/],
  ["nothing", () => Buffer.alloc(0), /./],
  ["more than twenty megabytes", () => Buffer.alloc(20 * 1024 * 1024 + 1, tgz(MANIFEST, INDEX)), /larger than 20 MB/],
];

test.each(REFUSED)("adding a tarball with %s fails in one line, and leaves nothing", async (_name, packed, refusal) => {
  const machine = new Machine();
  const done = await machine.add(machine.file("attack.tgz", packed()));
  expect(done).toMatchObject({ code: 1, stdout: "" });
  expect(done.stderr).toMatch(/^cordon: [^\n]*\n$/);
  expect(done.stderr).toMatch(refusal);
  expect(unseen(done.stderr)).toEqual([]);
  expect(machine.names()).toEqual(NO_NAMES);
  expect(readdirSync(machine.folder).sort()).toEqual(["from", "home", "tmp", "user", "work"]);
});

test("after a refusal the same machine installs a harmless package, and vice versa", async () => {
  const machine = new Machine();
  const attack = machine.file("attack.tgz", tgz(MANIFEST, INDEX, entry("package/x", "", { type: "2", link: "/" })));
  const good = machine.file("good.tgz", tgz(MANIFEST, INDEX));
  expect((await machine.add(attack)).code).toBe(1);
  expect((await machine.add(good)).code).toBe(0);
  const before = machine.disk();
  expect((await machine.add(attack)).code).toBe(1);
  expect(machine.disk()).toEqual(before);
  expect((await machine.session()).said).toBe("no");
});

test("a bomb in a tarball is not unpacked to the disk to read its name", async () => {
  const machine = new Machine();
  const bomb = join(machine.folder, "from", "bomb.tgz");
  spawnSync(process.execPath, [BOMB_PROGRAM, bomb], { timeout: 50_000 });
  // No written file may be larger than this: a larger one ends the process.
  const limited = execFileSync(
    "/bin/sh",
    [
      "-c",
      `ulimit -f ${128 * 1024}; "$0" "$@" 2>&1; echo "code $?"`,
      process.execPath,
      MAIN,
      "add",
      bomb,
      "--grant",
      "none",
    ],
    {
      cwd: machine.work,
      env: { ...process.env, ...machine.env, CORDON_HOME: machine.home, NO_COLOR: "1" },
      encoding: "utf8",
    },
  );
  expect(limited).toMatch(/^cordon: the package is refused: more than 50 MB unpacked \(LOAD_FAILED\)\ncode 1\n$/);
  expect(machine.names()).toEqual(NO_NAMES);
});

test("installed files are readable, not executable and not writable", async () => {
  const machine = new Machine();
  const packed = tgz(
    entry("package/package.json", manifestOf(), { mode: 0o7777 }),
    entry("package/index.ts", "export default () => {};", { mode: 0 }),
    folder("package/a/", 0),
    entry("package/a/x.sh", "", { mode: 0o4777 }),
  );
  expect(await machine.add(machine.file("gate.tgz", packed))).toMatchObject({ code: 0, stderr: "" });
  const installed = join(machine.home, "installed");
  const entries = readdirSync(installed, { recursive: true, encoding: "utf8" }).map((name) => join(installed, name));
  expect(entries.length).toBe(5);
  for (const path of entries) {
    const status = lstatSync(path);
    expect((status.mode & 0o7777).toString(8)).toBe(status.isDirectory() ? "555" : "444");
  }
});

const FOLDERS: [name: string, act: (path: string, machine: Machine) => void][] = [
  [
    "a link to a file outside",
    (path, machine) => symlinkSync(machine.file("secret.txt", "secret"), join(path, "x.txt")),
  ],
  ["a link to a folder above", (path, machine) => symlinkSync(machine.folder, join(path, "x"))],
  ["a pipe", (path) => void execFileSync("mkfifo", [join(path, "x.ts")])],
  [
    "two links to itself",
    (path) => {
      symlinkSync(".", join(path, "x"));
      symlinkSync(".", join(path, "y"));
    },
  ],
];

test.each(FOLDERS)("a folder with %s is added without it, or not at all", async (_name, act) => {
  const machine = new Machine();
  const path = machine.package("gate");
  act(path, machine);
  writeFileSync(join(machine.folder, "from", "secret.txt"), "what-is-secret");
  const done = await machine.add(path);
  const { installed, left } = machine.names();
  expect(installed).toEqual(done.code === 0 ? ["gate"] : []);
  expect(left).toEqual([]);
  const names = readdirSync(machine.home, { recursive: true, encoding: "utf8" });
  expect(names.filter((name) => /installed\/.*\/(x|secret)/.test(name))).toEqual([]);
});

test.each(["package.json", ".npmignore", "lib/.gitignore"])(
  "a folder whose %s is a pipe is refused, and not waited for",
  async (name) => {
    const machine = new Machine();
    const path = join(machine.package("gate"), name);
    rmSync(path, { force: true });
    mkdirSync(dirname(path), { recursive: true });
    execFileSync("mkfifo", [path]);
    const done = await machine.add(join(machine.folder, "from", "gate"));
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining(`${path}: not a regular file`) });
    expect(machine.names()).toEqual(NO_NAMES);
  },
);
