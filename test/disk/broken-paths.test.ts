import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { readIfThere } from "../../src/disk/atomic-file.ts";
import { policiesInForce } from "../../src/grants/policy.ts";
import { cordon } from "../support/command.ts";
import { needs } from "../support/needs.ts";
import { onToolCall, temporaryFolder, writeFiles } from "../support/session.ts";

/** What may stand at a path, or on the way to it, so that no file can be read there. */
// biome-ignore format: a table
const BROKEN: [what: string, make: (path: string) => void, says: RegExp][] = [
  ["a link that leads to nothing", (path) => symlinkSync("nowhere", path), /is a link that leads to nothing; mend it, or take it away/],
  ["a link to such a link", (path) => { symlinkSync("nowhere", `${path}-2`); symlinkSync(`${path}-2`, path); }, /is a link that leads to nothing/],
  ["a link through a file", (path) => { writeFileSync(`${path}-2`, ""); symlinkSync(`${path}-2/x`, path); }, /is a link that leads to nothing/],
  ["a link to itself", (path) => symlinkSync(path, path), /ELOOP/],
];

describe("a file is not just absent if it cannot be read for", () => {
  test.each(BROKEN)("%s", (_what, make, says) => {
    const folder = temporaryFolder();
    const path = join(folder, "a", "file");
    mkdirSync(join(folder, "a"));
    make(path);
    expect(() => readIfThere(path)).toThrow(says);
    rmSync(join(folder, "a"), { recursive: true });
    make(join(folder, "a"));
    for (const below of [path, join(folder, "a", "b", "file")]) expect(() => readIfThere(below)).toThrow(says);
  });

  test("a part of its path that is no folder", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a"), "");
    for (const below of [["file"], ["b", "file"]])
      expect(() => readIfThere(join(folder, "a", ...below))).toThrow(`${join(folder, "a")} is no folder; move it away`);
  });

  test("nothing of that: it is absent, also below a link to a folder", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "a"));
    for (const path of ["file", "a/file", "a/b/c/file", "b/file"])
      expect(readIfThere(join(folder, path))).toBeUndefined();
    expect(readIfThere("nowhere/at/all")).toBeUndefined();
  });
});

test.each(BROKEN)("a policy is in force, and cannot be read, where there is %s", (_what, make, says) => {
  const folder = temporaryFolder();
  make(join(folder, "cordon"));
  for (const path of [join(folder, "cordon"), join(folder, "cordon", "policy.json")])
    expect(() => policiesInForce([path])).toThrow(
      expect.objectContaining({ code: "BAD_GRANT", message: expect.stringMatching(says) }),
    );
});

const MAIN = join(PACKAGE_ROOT, "dist", "src", "cli", "start.js");

const CALL = `${JSON.stringify({ type: "tool_call", toolName: "bash", toolCallId: "1", input: {} })}\n`;

// biome-ignore format: a table
test.each<[what: string, breakIt: (home: string) => void]>([
  ["grants.json is a link that leads to nothing", (home) => symlinkSync("nowhere", join(home, "grants.json"))],
  ["hooks.lock is a link that leads to nothing", (home) => symlinkSync("nowhere", join(home, "hooks.lock"))],
  ["CORDON_HOME is a link that leads to nothing", (home) => { renameSync(home, `${home}-2`); symlinkSync("nowhere", home); }],
  ["the folder of hooks is a link that leads to nothing", (home) => { renameSync(join(home, "hooks"), `${home}-2`); symlinkSync("nowhere", join(home, "hooks")); }],
  ["the folder of hooks is a link to itself", (home) => { renameSync(join(home, "hooks"), `${home}-2`); symlinkSync("hooks", join(home, "hooks")); }],
  ["the folder of hooks is a plain file", (home) => { renameSync(join(home, "hooks"), `${home}-2`); writeFileSync(join(home, "hooks"), ""); }],
  ["pi's folder of hooks is a link that leads to nothing", (home) => { mkdirSync(join(home, "..", "agent")); symlinkSync("nowhere", join(home, "..", "agent", "hooks")); }],
  ["CORDON_HOME is a plain file", (home) => { renameSync(home, `${home}-2`); writeFileSync(home, ""); }],
])("no session starts where %s, and doctor says so", async (_what, breakIt) => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  writeFiles(home, { "hooks/gate.ts": onToolCall('return { block: true, reason: "no" };') });
  breakIt(home);
  const env = { PI_CODING_AGENT_DIR: join(folder, "agent") };
  const says =
    /leads to nothing; mend it, or take it away|is no folder; move it away|folder of hooks cannot be read, .*; mend it, or remove it/;
  const { code, stdout, stderr } = await cordon(["run"], { cwd: folder, home, env, input: CALL });
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(says)]);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  const doctor = await cordon(["doctor", "--json"], { cwd: folder, home, env });
  expect(doctor.code).toBe(1);
  const { findings } = JSON.parse(doctor.stdout);
  expect(findings).toContainEqual(expect.objectContaining({ ok: false, detail: expect.stringMatching(says) }));
});

/** Whom files of mode 0 keep out; root reads them all. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const mayRead = spawnSync(process.execPath, ["-e", "fs.accessSync(process.argv[1])", MAIN], NOBODY).status === 0;

test(
  "no session starts where Cordon may not read the folder of hooks",
  needs(!mayRead && "a repository that other users may read"),
  () => {
    const folder = temporaryFolder();
    const home = join(folder, "home");
    writeFiles(home, { "hooks/gate.ts": onToolCall("") });
    for (const path of [folder, home]) {
      chmodSync(path, 0o755);
      if (NOBODY.uid !== undefined) chownSync(path, NOBODY.uid, NOBODY.gid);
    }
    chmodSync(join(home, "hooks"), 0);
    const env = { ...process.env, CORDON_HOME: home, HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent") };
    const ended = spawnSync(process.execPath, [MAIN, "run"], {
      cwd: folder,
      env,
      input: CALL,
      encoding: "utf8",
      ...NOBODY,
    });
    expect([ended.status, ended.stdout, ended.stderr]).toEqual([
      1,
      "",
      expect.stringMatching(/hooks: this folder of hooks cannot be read, .*EACCES/),
    ]);
  },
);

test("doctor finds a folder of hooks that leads to nothing", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  mkdirSync(home);
  symlinkSync("nowhere", join(home, "hooks"));
  const { stdout } = await cordon(["doctor"], { cwd: folder, home });
  expect(stdout).toMatch(new RegExp(`^no +link ${join(home, "hooks")}: it leads to nothing`, "m"));
});

// biome-ignore format: a table
test.each<[what: string, breakIt: (home: string) => void, says: RegExp]>([
  ["is nobody's to read", (home) => chmodSync(home, 0), /EACCES.*look with ls -ld/],
  ["is a link to itself", (home) => { rmSync(home, { recursive: true }); symlinkSync(home, home); }, /ELOOP/],
  ["is a plain file", (home) => { rmSync(home, { recursive: true }); writeFileSync(home, ""); }, /is no folder; move it away/],
])("doctor reports a home that %s, and all that it can look at besides", needs(!mayRead && "a repository that other users may read"), async (_what, breakIt, says) => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const home = join(folder, "home");
  writeFiles(home, { "hooks/gate.ts": onToolCall("") });
  breakIt(home);
  const run = (...args: string[]) => {
    const env = { ...process.env, CORDON_HOME: home, PI_CODING_AGENT_DIR: join(folder, "agent"), HOME: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "doctor", ...args], { cwd: folder, env, encoding: "utf8", ...NOBODY });
    return { code: status, stdout, stderr };
  };
  const { code, stdout, stderr } = run("--json");
  expect([code, stderr]).toEqual([1, ""]);
  const findings: { what: string; ok: boolean; detail: string }[] = JSON.parse(stdout).findings;
  const wrong = findings.filter(({ ok }) => !ok);
  expect(wrong.map(({ what }) => what)).toEqual(expect.arrayContaining(["grants", "hooks", "agents"]));
  expect(wrong.some(({ detail }) => says.test(detail))).toBe(true);
  expect(findings.map(({ what }) => what)).toContain("death of the agent");
  expect(run().stdout).toMatch(/^no {3}grants: /m);
  expect(run("--quiet")).toMatchObject({ code: 1, stdout: expect.stringMatching(/^no {3}agents: .*\n$/) });
});
