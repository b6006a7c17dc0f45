import { expect, test } from "vitest";
import { coversArgs, matchesArgs } from "../../src/powers/exec-arguments.ts";

const lines = { kind: "text", lines: true, max: 20 } as const;
const line = { kind: "text", max: 20 } as const;

test.each([
  ["one line", "first", true, true],
  ["several", "first\n\nsecond", true, false],
  ["a return", "first\r\nsecond", true, false],
  ["the longest", `${"a".repeat(18)}\nb`, true, false],
  ["one more", `${"a".repeat(19)}\nb`, false, false],
  ["an end of the text", "first\0second", false, false],
  ["an option", "-m\nfirst", false, false],
  ["a file of options", "@file\nfirst", false, false],
])("%s", (_what, value, many, one) => {
  expect(matchesArgs(["commit", lines], ["commit", value])).toBe(many);
  expect(matchesArgs(["commit", line], ["commit", value])).toBe(one);
});

test("several lines are more than one", () => {
  expect(coversArgs([lines], [line], false)).toBe(true);
  expect(coversArgs([line], [lines], false)).toBe(false);
  expect(coversArgs([lines], [lines], false)).toBe(true);
  expect(coversArgs([lines], ["a\nb"], false)).toBe(true);
  expect(coversArgs([line], ["a\nb"], false)).toBe(false);
});
