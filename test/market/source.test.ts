import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { lockedSource, proposable, sourceOf } from "../../src/market/source.ts";
import { temporaryFolder, writeFiles } from "../support/session.ts";

const here = realpathSync(mkdtempSync(join(tmpdir(), "cordon-source-")));
afterAll(() => rmSync(here, { recursive: true, force: true }));
writeFiles(here, { "gate.ts": "", "pack.tgz": "", "folder/package.json": "{}", "tools/near/package.json": "{}" });

test.each([
  ["gate", "registry", "npm:gate"],
  ["gate@1.0.0", "registry", "npm:gate@1.0.0"],
  ["gate@^1", "registry", "npm:gate@^1"],
  ["gate@next", "registry", "npm:gate@next"],
  ["npm:gate", "registry", "npm:gate"],
  ["npm:@team/gate@~2", "registry", "npm:@team/gate@~2"],
  ["github:ada/gate", "git", "git:github:ada/gate"],
  ["github:ada/gate#v1", "git", "git:github:ada/gate#v1"],
  ["ada/gate", "git", "git:github:ada/gate"],
  ["gitlab:ada/gate", "git", "git:gitlab:ada/gate"],
  ["git+https://git.example.com/gate.git", "git", "git:git+https://git.example.com/gate.git"],
  ["git+ssh://git@git.example.com/gate.git#semver:^1", "git", "git:git+ssh://git@git.example.com/gate.git#semver:^1"],
  ["https://example.com/gate.tgz", "tarball", "https://example.com/gate.tgz"],
  ["./pack.tgz", "tarball", `path:${join(here, "pack.tgz")}`],
  ["./folder", "folder", `path:${join(here, "folder")}`],
  ["folder/", "folder", `path:${join(here, "folder")}`],
  ["gate.ts", "file", `path:${join(here, "gate.ts")}`],
  [join(here, "gate.ts"), "file", `path:${join(here, "gate.ts")}`],
])("%s is from a %s, and a lock names it %s", (given, kind, origin) => {
  const source = sourceOf(given, here);
  expect([source.kind, source.origin]).toEqual([kind, origin]);
  // The name in a lock resolves to the same source.
  expect(lockedSource(origin, here)).toMatchObject({ kind, origin });
});

test.each([
  ["./nowhere", /no such file or folder/],
  ["nowhere.ts", /^nowhere.ts: no such file or folder/],
  ["hooks/nowhere.mts", /^hooks\/nowhere.mts: no such file or folder/],
  ["gate@npm:other", /alias packages cannot be added/],
  ["", /names no package|no such/],
  ["npm:", /names no package/],
  ["gate@@1", /names no package|no such/],
  ["a b", /names no package/],
])("%j is not a source", (given, says) => {
  expect(() => sourceOf(given, here)).toThrow(says);
});

const FOLDER = /names a folder of a repository, and only a whole one can be added/;
const UNREAD = /after the # must come a commit, a branch, a tag or semver:RANGE/;

test.each([
  ["git+file:///x/y.git#path:packages/gate", FOLDER],
  ["git+https://git.example.com/x.git#v1::path:packages/gate", FOLDER],
  ["git+https://git.example.com/x.git#path:", FOLDER],
  ["git+https://git.example.com/x.git#::path:a", FOLDER],
  ["git+https://git.example.com/x.git#path%3Aa", FOLDER],
  ["git+ssh://git@git.example.com/x.git#v1%3A%3Apath:a", FOLDER],
  ["git+file:///x#path:../..", FOLDER],
  ["git+file:///x#path:/etc", FOLDER],
  ["git@github.com:ada/gate.git#path:a", FOLDER],
  ["https://github.com/ada/gate.git#path:a", FOLDER],
  ["github:ada/gate#path:packages/gate", FOLDER],
  ["github:ada/gate#path%3Apackages/gate", FOLDER],
  ["github:ada/gate#semver:^1::path:a/b", FOLDER],
  ["ada/gate#path:a", FOLDER],
  ["https://github.com/ada/gate/tree/main/packages/gate", FOLDER],
  ["https://github.com/ada/gate/tree/main/packages#v2", FOLDER],
  ["git+https://git.example.com/x.git#v1#path:a", UNREAD],
  ["git+https://git.example.com/x.git#commit:abc", UNREAD],
  ["git+https://git.example.com/x.git#PATH:a", UNREAD],
  ["git+https://git.example.com/x.git#semver:^1:^2", UNREAD],
  ["git+https://git.example.com/x.git#semver:", UNREAD],
  ["git+https://git.example.com/x.git#v1::v2", /names no package: cannot override/],
  ["github:ada/gate#dir:packages/gate", UNREAD],
  ["https://example.com/gate.tgz#path:a", /the URL of a tarball must not have a #/],
])("%s is refused, also in a lock: it would fetch something other than it says", (given, says) => {
  expect(() => sourceOf(given, here)).toThrow(says);
  expect(() => lockedSource(given.startsWith("https://example") ? given : `git:${given}`, here)).toThrow(says);
});

test("a project's lock names sources in the project by their path in it", () => {
  const of = (given: string): string => proposable(sourceOf(given, here), here).origin;
  expect(of("./tools/near")).toBe("path:./tools/near");
  expect(of("gate.ts")).toBe("path:./gate.ts");
  expect(of("gate@^1")).toBe("npm:gate@^1");
  expect(of("github:ada/gate")).toBe("git:github:ada/gate");
  const outside = temporaryFolder();
  mkdirSync(join(outside, "far"));
  symlinkSync(join(outside, "far"), join(here, "link"));
  for (const given of [outside, "./link", here, `git+file://${outside}`, `file:${outside}/far`])
    expect(() => of(given), given).toThrow(/lies outside of this project/);
  expect(() => of(`git+file:///${outside}#file:`)).toThrow(UNREAD);
});
