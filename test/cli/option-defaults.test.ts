import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";

/** Options without which something is not done at all: there is no default to tell. */
const NOT_DONE = ["--url", "--head"];

/** Options that take a value, with what their help says, as the source has them. */
const optionsIn = (source: string): { flag: string; help: string }[] =>
  [...source.matchAll(/\.option\(\s*"(--[\w-]+) [<[][^"]*",\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g)].map(
    ([, flag = "", plain, made]) => ({ flag, help: plain ?? made ?? "" }),
  );

const source = ["main.ts", "common.ts"]
  .map((name) => readFileSync(join(PACKAGE_ROOT, "src", "cli", name), "utf8"))
  .join("");
const silent = (text: string): string[] =>
  optionsIn(text)
    .filter(({ help }) => !/\(default: .+\)|\(repeatable\)/.test(help))
    .map(({ flag }) => flag);

test("the help of each option that takes a value says what holds without it", () => {
  expect(optionsIn(source)).toHaveLength([...source.matchAll(/\.option\(\s*"--[\w-]+ [<[]/g)].length);
  expect(optionsIn(source).length).toBeGreaterThan(25);
  expect(silent(source)).toEqual(NOT_DONE);
});

test.each(["(default: 60)", "(default: the hook's folder)"])("a help without %s is found out", (text) => {
  expect(silent(source.replace(text, "")).length).toBe(NOT_DONE.length + 1);
});
