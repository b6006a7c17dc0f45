import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../support/session.ts";
import { HOOK } from "./hostile-tar.ts";
import { remove } from "./hostile-terminal.ts";
import { Machine } from "./world.ts";

async function installed(): Promise<{ machine: Machine; journal: string }> {
  const machine = new Machine();
  expect(await machine.add(machine.package("gate"))).toMatchObject({ code: 0, stderr: "" });
  return { machine, journal: join(machine.home, "install.journal") };
}

const stateOf = (machine: Machine): string[] =>
  ["hooks.lock", "grants.json"].map((name) => readFileSync(join(machine.home, name), "utf8"));

const GARBAGE: [string, string][] = [
  ["no JSON", "{"],
  ["empty", ""],
  ["a list", "[]"],
  ["null", "null"],
  ["without its keys", "{}"],
  ["with a lock alone", JSON.stringify({ lock: '{"version":1,"hooks":{}}' })],
  ["with an invalid lock", JSON.stringify({ lock: "{", grants: '{"version":1,"hooks":{}}' })],
  ["with invalid grants", JSON.stringify({ lock: '{"version":1,"hooks":{}}', grants: "[]" })],
  [
    "with a lock that points outside",
    JSON.stringify({
      lock: JSON.stringify({ version: 1, hooks: { gate: { file: "../../x.ts" } } }),
      grants: '{"version":1,"hooks":{}}',
    }),
  ],
];

test.each(GARBAGE)("a journal %s overwrites nothing: each command names it and the remedy", async (_name, text) => {
  const { machine, journal } = await installed();
  const before = stateOf(machine);
  writeFileSync(journal, text);
  for (const args of [["run"], ["list"], ["add", machine.package("other"), "--grant", "none"]]) {
    const { code, stderr } = await machine.run(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cordon: .*install\.journal.*\n$/);
    expect(stderr).toMatch(/remove it|hooks\.gate|not JSON|grants|lock/);
    expect(stateOf(machine)).toEqual(before);
  }
  rmSync(journal);
  expect(await machine.session()).toMatchObject({ said: "no", stderr: "" });
});

const PUT: [string, (journal: string, machine: Machine) => void][] = [
  ["a folder", (journal) => mkdirSync(journal)],
  ["a pipe", (journal) => execFileSync("mkfifo", [journal])],
  ["a link to a device", (journal) => symlinkSync("/dev/zero", journal)],
  ["a file that is too large", (journal) => writeFileSync(journal, "x".repeat(65 * 1024 * 1024))],
];

test.each(PUT)("%s instead of a journal: each command says so and ends", async (_name, act) => {
  const { machine, journal } = await installed();
  const before = stateOf(machine);
  act(journal, machine);
  for (const args of [["run"], ["list"]]) {
    const { code, stderr } = await machine.run(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cordon: .*(install\.journal|EISDIR).*\n$/);
  }
  expect(stateOf(machine)).toEqual(before);
  rmSync(journal, { recursive: true });
  expect((await machine.session()).said).toBe("no");
});

test("an interrupted change is completed before any other grant or revocation", async () => {
  const { machine, journal } = await installed();
  const path = machine.package("reader", { cordon: { hooks: ["./index.ts"], capabilities: { env: ["HOME"] } } });
  expect((await machine.add(path, "env")).code).toBe(0);
  const [lock = "", grants = ""] = stateOf(machine);
  // The state after power loss: the journal is written, and neither of its files.
  writeFileSync(journal, JSON.stringify({ lock, grants }));
  expect(await machine.run(["revoke", "reader", "env"])).toMatchObject({ code: 0 });
  expect(existsSync(journal)).toBe(false);
  const list = JSON.parse((await machine.run(["list", "--json"])).stdout) as {
    hooks: { id: string; powers: string[] }[];
  };
  expect(list.hooks.find(({ id }) => id === "reader")?.powers).not.toContain("env");
});

test("an interrupted change is complete for the session that completes it", async () => {
  const { machine, journal } = await installed();
  const [lock = "", grants = ""] = stateOf(machine);
  writeFileSync(journal, JSON.stringify({ lock, grants }));
  for (const name of ["hooks.lock", "grants.json"]) rmSync(join(machine.home, name));
  const source = HOOK.replace("'no'", "`key ${process.env.CORDON_TEST_KEY}`");
  const first = await machine.host();
  expect(first.said).toBe("no");
  expect(first.told).toBe("");
  // Its powers are there, too: they are in the other file.
  const path = machine.package(
    "keyed",
    { cordon: { hooks: ["./index.ts"], capabilities: { env: ["CORDON_TEST_KEY"] } } },
    { "index.ts": source },
  );
  expect((await remove(machine, "gate")).code).toBe(0);
  expect((await machine.add(path, "env")).code).toBe(0);
  const [later = "", granted = ""] = stateOf(machine);
  writeFileSync(journal, JSON.stringify({ lock: later, grants: granted }));
  writeFileSync(join(machine.home, "grants.json"), '{"version":1,"hooks":{}}');
  process.env.CORDON_TEST_KEY = "granted";
  expect((await machine.host()).said).toBe("key granted");
});

const LOCK_ENTRY = {
  version: "1.0.0",
  source: "path:/x",
  integrity: "sha512-AAAA",
  digest: `sha256-${"0".repeat(64)}`,
  requested: {},
  provenance: "none",
  package: "shipped",
  file: "index.ts",
};

test("a hook in a repository is inert until a person accepts it", async () => {
  const machine = new Machine();
  const hooks = { shipped: LOCK_ENTRY };
  const grant = {
    digest: LOCK_ENTRY.digest,
    capabilities: { exec: [{ program: "sh", args: [{ rest: "text" }], fullAccess: true }] },
  };
  writeFiles(machine.work, {
    ".cordon/hooks.lock": JSON.stringify({ version: 1, hooks }),
    ".cordon/grants.json": JSON.stringify({
      version: 1,
      hooks: { shipped: grant, [join(machine.work, ".pi/hooks/gate.ts")]: grant },
    }),
    ".cordon/install.journal": JSON.stringify({ lock: "{}", grants: "{}" }),
    ".cordon/installed/shipped/index.ts": HOOK,
    "hooks.lock": JSON.stringify({ version: 1, hooks }),
    "grants.json": JSON.stringify({ version: 1, hooks: { shipped: grant } }),
    ".pi/hooks/gate.ts": HOOK,
    ".pi/hooks/gate.hook.json": JSON.stringify({ capabilities: grant.capabilities }),
    ".pi/settings.json": JSON.stringify({ hooks: ["../evil.ts", "/etc/passwd"], hookTimeout: 1 }),
    ".pi/agent/settings.json": JSON.stringify({ hooks: ["./evil.ts"] }),
    "evil.ts": HOOK,
    ".npmrc": "registry=http://127.0.0.1:1/\n",
    ".env": `CORDON_HOME=${join(machine.work, ".cordon")}\nCORDON_RUNTIME=${machine.work}\n`,
    "package.json": JSON.stringify({ name: "project", cordon: { hooks: ["./evil.ts"] }, pi: { hooks: ["./evil.ts"] } }),
  });
  const { said, hooks: found } = await machine.host();
  expect(said).toBeUndefined();
  expect(found.map(({ path, state }) => [path, state])).toEqual([
    [join(machine.work, ".pi/hooks/gate.ts"), "pending"],
    [expect.stringContaining("/installed/shipped-"), "pending"],
  ]);
  expect((await machine.session()).said).toBe("passed");
  expect((await machine.run(["list"])).stdout).toMatch(/^shipped \(project\) .* pending +never +0 +none$/m);
  expect((await machine.run(["accept"])).stderr).toMatch(/needs a terminal with a person at it/);
  expect(existsSync(join(machine.home, "grants.json"))).toBe(false);
  expect(existsSync(join(machine.work, ".cordon/install.journal"))).toBe(true);
});
