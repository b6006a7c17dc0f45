import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutEscapeSequences } from "../../src/base/escape-sequences.ts";
import { PACKAGE_ROOT } from "../../src/base/package-root.ts";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { OLDEST_NODE } from "../support/oldest-node.ts";

const E = "\u001b";

const SEQUENCES: [name: string, given: string, left: string][] = [
  ["no sequence", "plain [31m text", "plain [31m text"],
  ["a colour", `a${E}[31mb`, "ab"],
  ["a colour of many parts", `a${E}[38;2;255;0;0mb`, "ab"],
  ["a colour with colons", `a${E}[4:3mb`, "ab"],
  ["a private mode", `a${E}[?1049hb`, "ab"],
  ["a request for an answer", `a${E}[>0qb${E}[6nc`, "abc"],
  ["a cursor's shape, with an intermediate", `a${E}[2 qb`, "ab"],
  ["a final character that no terminal knows", `a${E}[5{b`, "ab"],
  ["a control character in a sequence", `a${E}[3\n1mb`, "a\n1mb"],
  ["a sequence in a sequence", `${E}[3${E}[31m1mred`, "1mred"],
  ["one-byte forms of sequences", "a\u009b31mb\u009d0;title\u009cc", "abc"],
  ["a title, ended by a bell", `a${E}]0;title\u0007b`, "ab"],
  ["a title, ended by a string terminator", `a${E}]0;title${E}\\b`, "ab"],
  ["a title without its end", `a${E}]0;title`, "a0;title"],
  ["a title that a line break ends", `a${E}]0;title\nb\u0007`, "a0;title\nb\u0007"],
  ["a title that another sequence ends", `a${E}]0;title${E}[31mb`, "a0;titleb"],
  ["a link", `${E}]8;;https://x.example${E}\\docs${E}]8;;${E}\\`, "docs"],
  ["a clipboard", `a${E}]52;c;cm0=\u0007b`, "ab"],
  ["a device's string", `a${E}P1$r0m${E}\\b`, "ab"],
  ["a program's command", `a${E}_Gf=100;AAAA${E}\\b`, "ab"],
  ["a private message", `a${E}^secret${E}\\b`, "ab"],
  ["a start of a string", `a${E}Xsecret${E}\\b`, "ab"],
  ["a character set", `a${E}(0b${E}%Gc`, "abc"],
  ["a reset", `a${E}cb`, "ab"],
  ["an index", `a${E}Mb${E}Dc`, "abc"],
  ["a saved cursor", `a${E}7b${E}8c`, "abc"],
  ["half of a sequence", `a${E}`, "a"],
  ["half of a colour", `a${E}[31`, "a"],
  ["half of a character set", `a${E}(`, "a("],
  ["a sequence that forms when another one is removed", `${E}${E}[0m[31mred`, "[31mred"],
  ["letters of other languages after an escape character", `${E}é${E}[1m漢`, "é漢"],
];

test.each(SEQUENCES)("%s", (_name, given, left) => {
  expect(withoutEscapeSequences(given)).toBe(left);
});

const CONTROL = /(?:\u001b\[|\u009b)[ -?]*[@-~]?/y;
const STRING =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])(?:[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c))?/y;
const OTHER = /\u001b(?:[ -/]*[0-~])?/y;

/** A reference in the terms of ECMA-48, without regard to speed. */
function reference(text: string): string {
  let left = "";
  for (let at = 0; at < text.length; ) {
    const found = [CONTROL, STRING, OTHER].map((one) => {
      one.lastIndex = at;
      return one.exec(text)?.[0].length ?? 0;
    });
    const taken = found.find((length) => length > 0) ?? 0;
    if (taken === 0) left += text[at];
    at += taken || 1;
  }
  return left;
}

const pieces = fc.constantFrom(
  ...[
    E,
    "[",
    "]",
    "P",
    "X",
    "^",
    "_",
    "\\",
    "(",
    " ",
    "0",
    "9",
    ";",
    ":",
    "?",
    "m",
    "~",
    "@",
    "\u0007",
    "\n",
    "\u007f",
  ],
  ...["\u0090", "\u0098", "\u009b", "\u009c", "\u009d", "\u009e", "\u009f", "\u0085", "é", "\u{1f600}", "\ud83d"],
);

test("any text loses exactly what the reference removes", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      expect(withoutEscapeSequences(text)).toBe(reference(text));
    }),
    { numRuns: 20_000 },
  );
});

test("cleaned text contains no sequence", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const left = withoutEscapeSequences(parts.join(""));
      expect(left).not.toMatch(/[\u001b\u0090\u0098\u009b\u009d-\u009f]/);
      expect(withoutEscapeSequences(left)).toBe(left);
    }),
    { numRuns: 5000 },
  );
});

/** A backtracking pattern would scan each of these again from every character. */
const FLOODS = [
  `${E}{;?}`,
  "{\u009b}",
  `{${E}[}`,
  `{${E}]}`,
  `{${E}]0;}`,
  `{${E}]8;;a}`,
  `${E}[{1;}`,
  `${E}{ }`,
  `${E}{[}`,
  `${E}]{a;}`,
  `${E}{#;}`,
  `{${E}}`,
  `{${E}P}`,
  `{${E}]a\n}`,
  `{${E}(}`,
  "{\u009d\u009d;}",
  "{\u0301}",
  "{\u200d}",
  "{\ufe0f\u200d}",
  "{ }",
];

/** A scan with quadratic time would take hours. */
const FLOOD_LENGTH = 4_000_000;

test(
  "repetitive floods are cleaned in linear time, on the oldest Node, too",
  needs(OLDEST_NODE === undefined && "the oldest supported Node"),
  () => {
    const floods = sampled(FLOODS, 3);
    const program = `
      import { cleanText } from ${JSON.stringify(join(PACKAGE_ROOT, "src/base/text.ts"))};
      const done = ${JSON.stringify(floods)}.map((flood) => {
        const [, before, unit] = /^(.*)\\{(.*)\\}$/s.exec(flood);
        return cleanText(before + unit.repeat(${FLOOD_LENGTH} / unit.length), ${FLOOD_LENGTH}).length;
      });
      console.log(process.versions.node.split(".")[0], done.length);`;
    const args = ["--input-type=module", "-e", program];
    const said = execFileSync(OLDEST_NODE as string, args, { encoding: "utf8", timeout: 50_000 });
    expect(said.trim()).toBe(`22 ${floods.length}`);
  },
);
