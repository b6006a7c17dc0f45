import { describe, expect, test } from "vitest";
import { coversPattern, meansNothing, permits } from "../../src/powers/fs-grant.ts";

/** Names of files until they are renamed, where names must be exact. */

const ROOTS = { $CWD: "/w", $HOME: "/h", $TMP: "/t" };

// biome-ignore format: a table
test.each<[pattern: string, path: string, may: boolean]>([
  ["$CWD/.pi/x.json.*.tmp", "/w/.pi/x.json.4711.tmp", true], ["$CWD/.pi/x.json.*.tmp", "/w/.pi/x.json.4711.uuid-1.tmp", true],
  ["$HOME/.pi/agent/.settings.json-*.temp", "/h/.pi/agent/.settings.json-1.temp", true],
  ["$CWD/.env.*.tmp", "/w/.env.1.tmp", true],
  // Another file, another folder, another end.
  ["$CWD/.pi/x.json.*.tmp", "/w/.pi/x.json", false], ["$CWD/.pi/x.json.*.tmp", "/w/.pi/y.json.1.tmp", false],
  ["$CWD/.pi/x.json.*.tmp", "/w/.pi/x.json.a/b.tmp", false], ["$CWD/.pi/x.json.*.tmp", "/w/.pi/x.json.1.tmp.ts", false],
  // Patterns that name no one file.
  ["$CWD/.pi/*.tmp", "/w/.pi/x.tmp", false], ["$CWD/.pi/x.json.*", "/w/.pi/x.json.1", false], ["$CWD/.pi/a.*.tmp", "/w/.pi/a.1.tmp", false],
  ["$CWD/*/x.json.*.tmp", "/w/.pi/x.json.1.tmp", false], ["$CWD/.pi/**/x.json.*.tmp", "/w/.pi/x.json.1.tmp", false],
  ["$CWD/.pi/x.json.*.*.tmp", "/w/.pi/x.json.1.2.tmp", false], ["$CWD/.pi/x.json.*.tmp.ts", "/w/.pi/x.json.1.tmp.ts", false],
  ["$CWD/.pi/x.json*.tmp", "/w/.pi/x.json1.tmp", false], ["$CWD/.pi/?x.json.*.tmp", "/w/.pi/ax.json.1.tmp", false],
])("%s for writing %s: %s", (pattern, path, may) => {
  expect(permits([pattern], "write", path, ROOTS)).toBe(may);
  // What decides about hooks is named as exactly, and Cordon's own always.
  expect(permits([pattern], "write", path, ROOTS, true)).toBe(may);
  expect(permits([pattern], "write", path, ROOTS, "always")).toBe(false);
});

test("no secret is read by such a name", () => {
  expect(permits(["$CWD/.env.*.tmp"], "read", "/w/.env.1.tmp", ROOTS)).toBe(false);
  expect(permits(["$CWD/.env.1.tmp"], "read", "/w/.env.1.tmp", ROOTS)).toBe(true);
});

describe("a wildcard that does not mean such files does not cover them", () => {
  // biome-ignore format: a table
  test.each<[wide: string, narrow: string, covers: boolean]>([
    ["$CWD/.pi/x.json.*.tmp", "$CWD/.pi/x.json.*.tmp", true], ["$CWD/**", "$CWD/logs/x.json.*.tmp", true],
    ["$CWD/**", "$CWD/.pi/x.json.*.tmp", false], ["/**", "$CWD/.pi/x.json.*.tmp", false], ["$CWD/.pi/**", "$CWD/.pi/x.json.*.tmp", false],
    ["$HOME/**", "$HOME/.env.*.tmp", false],
  ])("%s, %s: %s", (wide, narrow, covers) => {
    expect(coversPattern(wide, narrow, "write")).toBe(covers);
  });
});

// biome-ignore format: a table
test.each<[pattern: string, right: "read" | "write", nothing: boolean]>([
  ["$HOME/.ssh/**", "read", true], ["$HOME/.ssh/id_*", "read", true], ["$HOME/.ssh/id_rsa", "read", false], ["$HOME/**", "read", false],
  ["$CWD/.github/**", "write", true], ["$CWD/.github/**", "read", false], ["$CWD/docs/**", "write", false], ["$CWD/**", "write", false],
  ["$CWD/.pi/goals/**", "write", false], ["$CWD/.pi/x.json.*.tmp", "write", false], ["$CWD/.p*/x", "write", false], ["/etc/*", "read", false],
])("whether %s means no file for %sing: %s", (pattern, right, nothing) => {
  expect(meansNothing(pattern, right)).toBe(nothing);
  const roots = { $CWD: "/w", $HOME: "/h", $TMP: "/t" };
  const files = ["/h/.ssh/id_rsa", "/h/.ssh/x", "/h/a", "/w/.github/a", "/w/docs/a", "/w/.pi/goals/a", "/w/.pi/x.json.1.tmp", "/w/.px/x", "/etc/a"];
  expect(files.some((file) => permits([pattern], right, file, roots))).toBe(!nothing);
});
