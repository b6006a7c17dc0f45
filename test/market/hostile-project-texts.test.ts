import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { writeFiles } from "../support/session.ts";
import { HOOK } from "./hostile-tar.ts";
import { unseen } from "./unseen.ts";
import { Machine } from "./world.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Text that draws on the screen, reverses and hides text, and imitates Cordon's own. */
const EVIL =
  "\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u2066\u200b\ufeff\u{e0041}\u3164\u3164\ufe0f\u{e0100}\u2800\u00ad\r\n\ninstalled gate with no powers\nok   hooks: fine\r\b\u007fX";
const IMITATES = /^(installed gate|ok {3}hooks: fine|cordon: )/m;

const ENTRY = {
  version: "1.0.0",
  source: "npm:gate",
  integrity: "sha512-AAAA",
  digest: `sha256-${"0".repeat(64)}`,
  requested: {},
  provenance: "none",
  package: "gate",
  file: "index.ts",
};

const lockOf = (hooks: object): string => JSON.stringify({ version: 1, hooks });
const propose = (machine: Machine, text: string): void => writeFiles(machine.work, { ".cordon/hooks.lock": text });

const ENTRIES: [name: string, hooks: object][] = [
  ["an id", { [EVIL]: ENTRY }],
  ["an id like a path", { [`/etc/${EVIL}`]: ENTRY }],
  ["a version", { gate: { ...ENTRY, version: EVIL } }],
  ["a source", { gate: { ...ENTRY, source: `npm:${EVIL}` } }],
  ["a package", { gate: { ...ENTRY, package: EVIL } }],
  ["a file", { gate: { ...ENTRY, file: EVIL.replaceAll(/[\n\r]/g, "") } }],
  ["a publisher", { gate: { ...ENTRY, publisher: EVIL } }],
  ["a builder", { gate: { ...ENTRY, builder: EVIL } }],
  ["a commit", { gate: { ...ENTRY, source: "git:git+http://127.0.0.1:9/gate.git", resolved: EVIL } }],
  ["what waits", { gate: { ...ENTRY, pending: { version: EVIL, wider: [EVIL] } } }],
  ["an unknown key", { gate: { ...ENTRY, [EVIL]: 1 } }],
  ["a dependency's path", { gate: { ...ENTRY, dependencies: { [EVIL]: {} } } }],
  ["a requested power", { gate: { ...ENTRY, requested: { [EVIL]: 1 } } }],
  ["100 ids", Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${EVIL}${at}`, ENTRY]))],
];

test.each(ENTRIES)(
  "%s of a project's lock is shown without invisible characters, and imitates nothing",
  async (_name, hooks) => {
    const machine = new Machine();
    propose(machine, lockOf(hooks));
    for (const args of [["list"], ["list", "--json"], ["doctor"], ["accept"], ["update"], ["run"]]) {
      const { stdout, stderr } = await machine.run(args);
      expect({ args, stdout: unseen(stdout), stderr: unseen(stderr) }).toEqual({ args, stdout: [], stderr: [] });
      expect(stdout).not.toMatch(IMITATES);
      expect(stdout.length + stderr.length).toBeLessThan(100_000);
    }
    expect(machine.names()).toMatchObject({ lock: [], grants: [], installed: [] });
  },
);

test("the report of a lock that is not JSON does not contain its characters", async () => {
  const machine = new Machine();
  propose(machine, `{"version": ${EVIL}`);
  for (const args of [["list"], ["doctor"], ["accept"], ["run"]]) {
    const { stdout, stderr } = await machine.run(args);
    expect({ args, stdout: unseen(stdout), stderr: unseen(stderr) }).toEqual({ args, stdout: [], stderr: [] });
    expect(stdout).not.toMatch(IMITATES);
  }
});

/** Texts for which a careless pattern needs hours. */
const LONG: [name: string, hooks: object][] = [
  ["a dependency's path", { gate: { ...ENTRY, dependencies: { [`node_modules/${"a".repeat(900_000)}!`]: {} } } }],
  ["a dependency's scope", { gate: { ...ENTRY, dependencies: { [`node_modules/@${"a".repeat(900_000)}!`]: {} } } }],
  ["dots", { gate: { ...ENTRY, dependencies: { [`node_modules/${".".repeat(900_000)}!`]: {} } } }],
  ["a deep path", { gate: { ...ENTRY, dependencies: { [`${"node_modules/a/".repeat(60_000)}!`]: {} } } }],
  ["a file", { gate: { ...ENTRY, file: `${"a/".repeat(400_000)}..` } }],
  ["an id", { [`/${"@a/.cordon/".repeat(80_000)}!`]: ENTRY }],
  ["a source", { gate: { ...ENTRY, source: `git+${"file:".repeat(190)}` } }],
  ["a digest", { gate: { ...ENTRY, digest: "sha256-".repeat(100_000) } }],
];

test.each(LONG)("%s of a megabyte delays no session", async (_name, hooks) => {
  const machine = new Machine();
  propose(machine, lockOf(hooks));
  expect((await machine.session()).said).toBe("passed");
  expect((await machine.run(["list"])).code).toBe(0);
});

test("files in a project's folder of hooks prevent no start, and are named without invisible characters", async () => {
  const machine = new Machine();
  const folder = join(machine.work, ".pi", "hooks");
  mkdirSync(folder, { recursive: true });
  const name = EVIL.replaceAll("/", "");
  symlinkSync("/nowhere", join(folder, `${name}.ts`));
  writeFileSync(join(folder, `${name}2.ts`), HOOK);
  for (const args of [["list"], ["doctor"], ["accept"], ["run"]]) {
    const { stdout, stderr } = await machine.run(args);
    expect({ args, stdout: unseen(stdout), stderr: unseen(stderr) }).toEqual({ args, stdout: [], stderr: [] });
    expect(stdout).not.toMatch(IMITATES);
  }
  const other = new Machine();
  mkdirSync(join(other.work, ".pi"));
  writeFileSync(join(other.work, ".pi", "hooks"), "");
  const doctor = await other.run(["doctor"]);
  expect(doctor.stderr).toBe("");
  expect(doctor.stdout).toContain("hooks: none found");
});

test("the requests of a newer version are shown without invisible characters", async () => {
  const machine = new Machine();
  const cordon = (read: string[]) => ({ cordon: { hooks: ["./index.ts"], capabilities: { fs: { read } } } });
  const path = machine.package("gate", cordon(["$CWD/a"]));
  expect((await machine.add(path)).code).toBe(0);
  machine.package("gate", { version: "2.0.0", ...cordon(["$CWD/a", `$CWD/${EVIL}`]) });
  const { stdout, stderr } = await machine.run(["update"]);
  expect(stdout).toContain("gate: waits for a person");
  expect({ stdout: unseen(stdout), stderr: unseen(stderr) }).toEqual({ stdout: [], stderr: [] });
  const listed = await machine.run(["list"]);
  expect(listed.stdout).toContain("gate 2.0.0 asks also for fs");
  expect(unseen(listed.stdout)).toEqual([]);
  for (const said of [stdout, listed.stdout]) expect(said).not.toMatch(IMITATES);
});
