import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { pageAt } from "./pages.ts";

const { text } = pageAt("docs/security.md");

/** Each promise, with the test that it links to: a part of its title, and its file. */
const promises = [...text.matchAll(/^\| (.+?) +\| \[(.+?)\]\(\.\.\/(test\/.+?)\) +\|$/gm)].map(
  ([, promise = "", title = "", file = ""]) => ({ promise, title, file }),
);

/** The titles of the tests in a file, as they are written. */
const titlesIn = (file: string): string[] =>
  [...readFileSync(join(PACKAGE_ROOT, file), "utf8").matchAll(/(["'`])((?:(?!\1)[^\n\\]|\\.)+)\1[,:]/g)].map(
    ([, , title = ""]) => title,
  );

test.each(promises)("$promise: there is a test", ({ title, file }) => {
  expect(
    titlesIn(file).some((one) => one.includes(title)),
    `${title} in ${file}`,
  ).toBe(true);
});

test("each row of a promise has its test, and no title is found by chance", () => {
  const rows = text
    .slice(text.indexOf("## What is promised"), text.indexOf("## How it is kept"))
    .match(/^\| (?!promise|---).*$/gm);
  expect(promises).toHaveLength(rows?.length ?? 0);
  expect(promises.length).toBeGreaterThan(35);
  expect(titlesIn("test/failure/chaos.test.ts").some((one) => one.includes("no such title"))).toBe(false);
});
