import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { packedFiles } from "../../src/market/packed-files.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";
import { HOOK } from "./hostile-tar.ts";
import { Machine } from "./world.ts";

const LONG_NAME = "a".repeat(200);

const folderOf = (files: Record<string, string>, json: object = {}): string => {
  const folder = temporaryFolder();
  writeFiles(folder, { "package.json": JSON.stringify({ name: "x", version: "1.0.0", ...json }), ...files });
  return folder;
};

/** Patterns for which a matching of the name above takes very long, or of which there are very many in one. */
const SLOW: [what: string, pattern: string][] = [
  ["stars", `${"*a".repeat(40)}b`],
  ["stars between brackets", `${"*[ab]".repeat(40)}b!`],
  ["question marks and stars", `${"*?a".repeat(40)}b`],
  ["a list that repeats", "+(a|aa)+(a|aa)b"],
  ["a list in a list", "+(+(a|aa)|+(a))b"],
  ["a negated list", `${"!(b)*".repeat(20)}c`],
  ["braces", `${"{a,b}".repeat(20)}*`],
  ["ranges", "{1..100000}{1..100000}"],
  ["globstars", `${"**/".repeat(40)}b`],
  ["globstars and stars", `${"**/*a*/".repeat(20)}b`],
];

const PLACES: [place: string, folder: (pattern: string) => string][] = [
  ["files", (pattern) => folderOf({ [LONG_NAME]: "" }, { files: [pattern] })],
  [".npmignore", (pattern) => folderOf({ [LONG_NAME]: "", ".npmignore": pattern })],
  [".gitignore", (pattern) => folderOf({ [LONG_NAME]: "", ".gitignore": pattern })],
  ["a .gitignore below", (pattern) => folderOf({ [`lib/${LONG_NAME}`]: "", "lib/.gitignore": pattern })],
];

const PATIENCE = 1000;

for (const [place, make] of PLACES)
  test.each(sampled(SLOW))(`of %s in ${place} npm's libraries tell in time, or are stopped`, async (_what, pattern) => {
    let longest = 0;
    let last = performance.now();
    const ticking = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    const began = performance.now();
    const told = await packedFiles(make(pattern), PATIENCE).then(
      (files) => files?.has("package.json"),
      (error: Error) => error.message,
    );
    clearInterval(ticking);
    expect(String(told)).toMatch(
      /^true$|: npm's libraries could not tell within 1 s which files they pack; mend the patterns in/,
    );
    expect(performance.now() - began).toBeLessThan(PATIENCE + 4000);
    // Nothing else waits for it.
    expect(longest).toBeLessThan(PATIENCE);
  });

test("one pattern of each place is stopped: the deadline is what ends it", async () => {
  const pattern = `${"*a".repeat(40)}b`;
  for (const [, make] of PLACES) await expect(packedFiles(make(pattern), PATIENCE)).rejects.toThrow("within 1 s");
});

/** Folders of which npm cannot tell the files: what makes one, and the line that says why. */
const REFUSED: [what: string, make: (folder: string) => void, why: RegExp][] = [
  [
    "a line of 70 KB in a .gitignore",
    (folder) => writeFileSync(join(folder, ".gitignore"), "x".repeat(70_000)),
    /: npm's libraries cannot tell which files they pack \(pattern is too long\); mend the patterns in "files"/,
  ],
  [
    "a .gitignore of 400 MB",
    (folder) => {
      writeFileSync(join(folder, ".gitignore"), "");
      truncateSync(join(folder, ".gitignore"), 400_000_000);
    },
    /\/\.gitignore: it has 400000000 bytes; npm's libraries are given 1048576 at most/,
  ],
  [
    "an .npmignore that is a link out of the folder",
    (folder) => symlinkSync("/proc/self/status", join(folder, ".npmignore")),
    /\/\.npmignore: a link out of the package; put a file in its place/,
  ],
  [
    "a file whose name is not UTF-8",
    (folder) => writeFileSync(Buffer.concat([Buffer.from(join(folder, "bad")), Buffer.from([0xff])]), ""),
    /: npm cannot pack bad\ufffd, whose name is not UTF-8; rename it/,
  ],
  [
    "a folder whose name is not UTF-8",
    (folder) => mkdirSync(Buffer.concat([Buffer.from(join(folder, "bad")), Buffer.from([0xff])])),
    /: npm cannot pack bad\ufffd, whose name is not UTF-8; rename it/,
  ],
];

test.each(sampled(REFUSED, 2))("%s: cordon check and cordon add say so in one line", async (_what, make, why) => {
  const machine = new Machine();
  const folder = machine.package("gate", { cordon: { hooks: ["./index.ts"] } });
  make(folder);
  for (const args of [["check"], ["check", "--json"], ["add", "--grant", "none"]]) {
    const [name = "", ...flags] = args;
    const { code, stderr } = await machine.run([name, folder, ...flags]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(why)]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(folder);
  }
});

test("of a repository the line names the repository, and not the place of a copy", async () => {
  const machine = new Machine();
  const folder = machine.package("gate", { cordon: { hooks: ["./index.ts"] } });
  writeFileSync(join(folder, ".gitignore"), "x".repeat(70_000));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });
  git("init", "-q");
  git("add", "-f", ".");
  git("commit", "-qm", "all");
  const url = `git+${pathToFileURL(folder)}`;
  const { code, stderr } = await machine.add(url);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/pattern is too long/)]);
  expect(stderr).toContain(url);
  expect(stderr).not.toContain("git-clone");
});

test("what npm does not read is not looked at", async () => {
  const folder = folderOf({
    "index.ts": HOOK,
    "node_modules/x/index.js": "",
    "fixture/index.ts": "",
    ".gitignore": "build\n",
  });
  mkdirSync(Buffer.concat([Buffer.from(join(folder, "node_modules", "bad")), Buffer.from([0xff])]));
  for (const name of ["node_modules/x/package.json", "node_modules/x/.gitignore", "fixture/package.json"])
    execFileSync("mkfifo", [join(folder, name)]);
  expect([...((await packedFiles(folder)) ?? [])].sort()).toEqual(["fixture/index.ts", "index.ts", "package.json"]);
});

test(
  "a folder that may not be read is told, unless npm leaves it out",
  needs(process.getuid?.() === 0 && "a user that may not read everything"),
  async () => {
    const folder = folderOf({ "secret/x": "" });
    chmodSync(join(folder, "secret"), 0);
    try {
      await expect(packedFiles(folder)).rejects.toThrow(
        `${folder}: npm packs secret too, which may not be read; let it be read, or name it in .npmignore`,
      );
      writeFileSync(join(folder, ".npmignore"), "secret\n");
      expect([...((await packedFiles(folder)) ?? [])]).toEqual(["package.json"]);
    } finally {
      chmodSync(join(folder, "secret"), 0o700);
    }
  },
);
