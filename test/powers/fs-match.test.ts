import fc from "fast-check";
import { expect, test } from "vitest";
import { coversPattern } from "../../src/powers/fs-grant.ts";
import { byExpression, byParts, matcher } from "../../src/powers/fs-match.ts";

const PIECES = ["a", "b", "?", "*", "**", "/", "/", "/**/", "[ab]", ".", "\n", "+", "("];
const NAMES = ["a", "b", "ab", "aa", "/", "/", ".", "\n", "+", "("];

test("a pattern that is matched part by part means what its regular expression does", () => {
  let meant = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }),
      fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 8 }),
      (pieces, names) => {
        const [pattern, path] = [pieces.join(""), names.join("")];
        // Neither a grant's pattern nor a real path has such a part, and a `**` stands alone.
        fc.pre(![pattern, path].some((text) => text.split("/").some((part) => /^\.{0,2}$/.test(part))));
        fc.pre(
          pattern.split("/").every((part) => part === "**" || (!part.includes("**") && part.split("*").length <= 3)),
        );
        // The library has a meaning of its own for this one: something behind the point.
        fc.pre(!pattern.includes("*.*"));
        const isMeant = byExpression(pattern)(path);
        if (isMeant) meant++;
        expect({ pattern, path, isMeant: byParts(pattern)(path) }).toEqual({ pattern, path, isMeant });
      },
    ),
    { numRuns: 6000 },
  );
  expect(meant).toBeGreaterThan(150);
});

test.each([
  ["*x\\", "ax\\", true],
  ["*\\", "a\\", true],
  ["**/x\\", "a/b/x\\", true],
  ["a/*/x\\", "a/b/x", false],
  ["[ab]x\\", "ax\\", false],
  ["*\\?", "a\\b", true],
])("a backslash in %s is a character of a name: %s", (pattern, path, isMeant) => {
  expect(matcher(pattern)(path)).toBe(isMeant);
});

test("whether a pattern covers a long path of many characters is told in no time that anybody notices", () => {
  const path = `$CWD/${Array.from({ length: 3800 }, (_, at) => String.fromCharCode(0x4e00 + at))
    .join("")
    .replace(/.{80}/g, "$&/")}`;
  for (const wide of ["$CWD/**", "$CWD/**/c", "$CWD/*/**/d", `${path.slice(0, 400)}/**`]) {
    expect(coversPattern(wide, path, "read")).toBe(wide === "$CWD/**");
    if (wide !== "$CWD/**") expect(coversPattern(wide, `${path}?`, "read")).toBe(false);
  }
});

test.each([
  ["**/a*a*/**/a*a*/a*a*b", `${"a".repeat(255)}/`.repeat(15)],
  ["**/*a*/*a*/*a*/**", `${"b".repeat(255)}/`.repeat(15)],
  ["**/*/*/*/*/*/*/**/x", "b/".repeat(2000)],
])("%s is matched in no time that anybody notices", (pattern, path) => {
  // A regular expression takes hours for it: the test's own limit of time would end this.
  expect(matcher(pattern)(`${path}c`)).toBe(false);
});
