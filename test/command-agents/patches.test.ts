import { expect, test } from "vitest";
import { callsOfPatch } from "../../src/agents/command/apply-patch.ts";

/** What an agent's parser may take for the end of a line, for a space around one, or for a part of a name. */
const ODD = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => character !== "\n" && /[\p{White_Space}\p{Cc}\uFEFF]/u.test(character),
);

const TARGET = "*** Add File: ../.bashrc";
const patch = (body: string): string => `*** Begin Patch\n*** Add File: ok.txt\n+hi\n${body}\n+evil\n*** End Patch`;

/** The files that a patch is judged by, or `refused`. */
function judged(text: string): string[] | "refused" {
  try {
    return callsOfPatch(text).map(({ input }) => String(input.path));
  } catch {
    return "refused";
  }
}

/** Each parser's own reading: lines end at a newline, or at these too; spaces around a line are those, or none. */
const ENDS = [/\n/, /\r\n|\r|\n/, /[^\P{Cc}\t]|[\u2028\u2029]/u];
const TRIMS = [/^$/u, /^\s+|\s+$/gu, /^\p{White_Space}+|\p{White_Space}+$/gu, /^[\s\p{Cc}]+|[\s\p{Cc}]+$/gu];
const readings = (text: string): string[][] =>
  ENDS.flatMap((end) =>
    TRIMS.map((trim) =>
      text.split(end).flatMap((line) => {
        const [, path] = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/s.exec(line.replace(trim, "")) ?? [];
        return path === undefined ? [] : [path.replace(trim, "")];
      }),
    ),
  );

/** A path without what is around it. */
const bare = (path: string): string =>
  path.replace(/^[\p{White_Space}\p{Cc}\uFEFF]+|[\p{White_Space}\p{Cc}\uFEFF]+$/gu, "");

const places: [where: string, text: (odd: string) => string][] = [
  ["before a marker", (odd) => patch(`${odd}${TARGET}`)],
  ["behind a line of the content", (odd) => patch(`+x${odd}${TARGET}`)],
  ["in the path", (odd) => patch(`*** Add File: ok${odd}/../../.bashrc`)],
  ["behind the path", (odd) => patch(`${TARGET}${odd}`)],
  ["behind the path, and a space", (odd) => patch(`${TARGET} ${odd} `)],
  ["twice before a marker", (odd) => patch(`${odd} ${odd}${TARGET}`)],
];

test.each(places)("hooks judge every file that a parser may find, with a strange character %s", (_where, text) => {
  expect(ODD.length).toBeGreaterThan(80);
  for (const odd of ODD) {
    const found = judged(text(odd));
    if (found === "refused") continue;
    const judgedPaths = found.map(bare);
    for (const paths of readings(text(odd)))
      expect([odd.charCodeAt(0), judgedPaths]).toEqual([odd.charCodeAt(0), expect.arrayContaining(paths.map(bare))]);
  }
});

test("a patch of usual lines is judged as it is, whatever its content has", () => {
  const crlf = patch(TARGET).replaceAll("\n", "\r\n");
  expect(judged(crlf)).toEqual(["ok.txt", "../.bashrc"]);
  expect(judged(patch("+a\fb\u2028c\u0085d\re"))).toEqual(["ok.txt"]);
  expect(judged(patch(" a context line with *** in it"))).toEqual(["ok.txt"]);
  expect(judged(patch(`  ${TARGET}\t`))).toEqual(["ok.txt", "../.bashrc"]);
});

test.each(["***Add File: a", "*** Rename File: a", "*** add file: a", "***"])("a line %s is not known", (line) => {
  expect(judged(patch(line))).toBe("refused");
});

test("what follows a marker behind a space may be of either file: both are judged with it", () => {
  const calls = callsOfPatch(
    "*** Begin Patch\n*** Update File: package.json\n@@\n *** Update File: notes.txt\n+postinstall\n*** Update File: a.txt\n+a\n*** End Patch",
  );
  expect(calls.map(({ input }) => [input.path, input.newText])).toEqual([
    ["package.json", "postinstall"],
    ["notes.txt", "postinstall"],
    ["a.txt", "a"],
  ]);
});

test("what is changed before and after a move is of both files", () => {
  const calls = callsOfPatch("*** Begin Patch\n*** Update File: a\n*** Move to: b\n-x\n+y\n*** End Patch");
  expect(calls.map(({ input }) => [input.path, input.oldText, input.newText])).toEqual([
    ["a", "x", "y"],
    ["b", "x", "y"],
  ]);
});
