import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findProgram, isInside } from "../../src/runtime/find-program.ts";
import { temporaryFolder } from "../support/session.ts";

function program(...path: string[]): string {
  const file = join(...path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\nexit 0\n");
  chmodSync(file, 0o755);
  return file;
}

/** A folder with a trusted `bin`, and a workspace `work` beside it. */
function place() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "work"));
  return { folder, bin: join(folder, "bin"), work: join(folder, "work"), good: program(folder, "bin", "tool") };
}

const find = (work: string, ...path: string[]) => findProgram("tool", [work], path.join(delimiter));

test("a program is found in the first trusted entry of PATH", () => {
  const { folder, bin, work, good } = place();
  const other = program(folder, "other", "tool");
  expect(find(work, bin, dirname(other))).toBe(good);
  expect(find(work, dirname(other), bin)).toBe(other);
});

const DISTRUSTED: { name: string; entry(folder: string): string }[] = [
  {
    name: "a project's node_modules/.bin",
    entry: (folder) => dirname(program(folder, "work", "node_modules", ".bin", "tool")),
  },
  {
    name: "a node_modules/.bin outside of the project",
    entry: (folder) => dirname(program(folder, "node_modules", ".bin", "tool")),
  },
  { name: "the workspace itself", entry: (folder) => dirname(program(folder, "work", "tool")) },
  { name: "a folder below the workspace", entry: (folder) => dirname(program(folder, "work", "a", "b", "tool")) },
  {
    name: "a folder that links into the workspace",
    entry: (folder) => {
      symlinkSync(dirname(program(folder, "work", "a", "tool")), join(folder, "link"));
      return join(folder, "link");
    },
  },
  {
    name: "a file that links into the workspace",
    entry: (folder) => {
      const target = program(folder, "work", "a", "tool");
      mkdirSync(join(folder, "links"));
      symlinkSync(target, join(folder, "links", "tool"));
      return join(folder, "links");
    },
  },
  {
    name: "a path into the workspace with ..",
    entry: (folder) => `${dirname(program(folder, "work", "a", "tool"))}/../a`,
  },
  {
    name: "a folder with that name instead of a program",
    entry: (folder) => {
      mkdirSync(join(folder, "odd", "tool"), { recursive: true });
      return join(folder, "odd");
    },
  },
  {
    name: "a file that cannot be run",
    entry: (folder) => {
      const file = program(folder, "odd", "tool");
      chmodSync(file, 0o644);
      return dirname(file);
    },
  },
];

test.each(DISTRUSTED)("skipped even if first on PATH: $name", ({ entry }) => {
  const { folder, bin, work, good } = place();
  const bad = entry(folder);
  expect(find(work, bad, bin)).toBe(good);
  expect(find(work, bad)).toBeUndefined();
});

test.each(["", ".", "bin", "./bin", "../bin", "node_modules/.bin"])(
  "the relative entry %j of PATH is ignored",
  (entry) => {
    const { folder, work } = place();
    program(folder, "bin", "bin", "tool");
    program(folder, "node_modules", ".bin", "tool");
    const before = process.cwd();
    process.chdir(join(folder, "bin"));
    try {
      expect(find(work, entry)).toBeUndefined();
    } finally {
      process.chdir(before);
    }
  },
);

test("a program that is installed for all projects may be a link into a node_modules folder", () => {
  const { folder, work } = place();
  const target = program(folder, "lib", "node_modules", "npm", "tool");
  mkdirSync(join(folder, "links"));
  symlinkSync(target, join(folder, "links", "tool"));
  expect(find(work, join(folder, "links"))).toBe(join(folder, "links", "tool"));
  expect(find(work, dirname(target))).toBeUndefined();
});

test("a workspace that is reached through a link is recognised", () => {
  const { folder, work } = place();
  const entry = dirname(program(work, "bin", "tool"));
  symlinkSync(work, join(folder, "linked"));
  expect(find(join(folder, "linked"), entry)).toBeUndefined();
});

test("a folder whose name only starts like the workspace's is outside of it", () => {
  const { folder, work } = place();
  const near = program(folder, "workbench", "tool");
  expect(find(work, dirname(near))).toBe(near);
});

test.each([
  ["/a/b", "/a", true],
  ["/a", "/a", true],
  ["/ab", "/a", false],
  ["/a/..b", "/a", true],
  ["/", "/a", false],
])("%s inside %s: %s", (path, folder, expected) => {
  expect(isInside(path, folder)).toBe(expected);
});
