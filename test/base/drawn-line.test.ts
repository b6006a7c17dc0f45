import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { drawnLine } from "../../src/base/drawn-line.ts";
import { anyText } from "../support/any-text.ts";

const ESC = "\u001b";

describe("a line of a component", () => {
  test.each([
    ["plain text", "hello", "hello"],
    ["colours", `${ESC}[31mred${ESC}[39m`, `${ESC}[31mred${ESC}[39m${ESC}[0m`],
    [
      "colours of the palette and of the screen",
      `${ESC}[38;5;9ma${ESC}[48;2;1;2;3mb`,
      `${ESC}[38;5;9ma${ESC}[48;2;1;2;3mb${ESC}[0m`,
    ],
    ["several at once", `${ESC}[1;38;5;9;4mx`, `${ESC}[1;38;5;9;4mx${ESC}[0m`],
    ["a reset without a number", `${ESC}[mx`, `${ESC}[0mx${ESC}[0m`],
    ["hidden and blinking text", `${ESC}[8;5;6mx`, `x${ESC}[0m`],
    ["another font", `${ESC}[11mx`, `x${ESC}[0m`],
    ["an unfinished colour, and what a terminal would read into it", `${ESC}[38;5m${ESC}[38;2;1;2mx`, `x${ESC}[0m`],
    ["a colour that does not exist", `${ESC}[38;5;256mx`, `x${ESC}[0m`],
    ["the cursor", `a${ESC}[2Jb${ESC}[1;1Hc${ESC}[3Ad`, "abcd"],
    ["a title", `a${ESC}]0;pwned\u0007b`, "ab"],
    ["a link", `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
    ["the clipboard", `${ESC}]52;c;eA==\u0007x`, "x"],
    ["a picture", `${ESC}_Ga=T;AAAA${ESC}\\x`, "x"],
    ["pi's mark of the cursor", `a${ESC}_pi:c\u0007b`, "ab"],
    ["the single characters for sequences", "a\u009b2Jb\u009d0;x\u0007c", "abc"],
    ["a colour by its single character", "a\u009b31mb", "ab"],
    ["tabs and line feeds", "a\tb\nc\rd", "a   b cd"],
    ["text that runs backwards", "a\u202eb", "ab"],
    ["a frame", "┏━┓┃┗┛┣┫┳┻╋", "┌─┐│└┘├┤┬┴┼"],
    [
      "a sequence that a colour interrupts",
      `${ESC}]0;${ESC}[31mx\u0007y`,
      expect.stringMatching(/^[^\u0000-\u001a]*$/),
    ],
  ])("%s", (_name, line, shown) => {
    expect(drawnLine(line, 80).text).toEqual(shown);
  });

  test("marks do not pile up behind colours", () => {
    const { text } = drawnLine(`a${`${ESC}[31m${"\u0301".repeat(8)}`.repeat(50)}`, 80);
    expect(text.match(/\u0301/g)).toBeNull();
  });

  test.each([
    ["abc", 3, "abc", 3],
    ["abcd", 3, "abc", 3],
    ["日本", 4, "日本", 4],
    ["日本", 3, "日", 2],
    ["a👩‍👧b", 3, "a👩‍👧", 3],
    [`${ESC}[31mab${ESC}[32mcd`, 2, `${ESC}[31mab${ESC}[0m`, 2],
    ["x", 0, "", 0],
  ])("%j is cut to %i columns", (line, most, text, width) => {
    expect(drawnLine(line, most)).toEqual({ text, width });
  });

  const piece = fc.oneof(
    fc.string({ unit: "grapheme" }),
    anyText(),
    fc.constantFrom(
      `${ESC}[31m`,
      `${ESC}[0m`,
      `${ESC}[38;5;1m`,
      `${ESC}[2J`,
      `${ESC}]0;`,
      "\u0007",
      "┃",
      "日",
      "\u0301",
      "\u200d",
      "👩",
    ),
  );

  test("is never wider than allowed, and holds nothing but text and colours", () => {
    fc.assert(
      fc.property(
        fc.array(piece).map((parts) => parts.join("")),
        fc.nat({ max: 40 }),
        (line, most) => {
          const { text, width } = drawnLine(line, most);
          const plain = text.split(new RegExp(`${ESC}\\[[\\d;]+m`)).join("");
          expect(plain).not.toMatch(/[\p{Cc}┏┓┗┛━┃]/u);
          expect(stringWidth(text)).toBeLessThanOrEqual(most);
          expect(width).toBeLessThanOrEqual(most);
          expect(stringWidth(text)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["letters", "é"],
    ["frames", "┃"],
    ["wide letters", "日"],
    ["one letter without end", "\u1100"],
    ["a syllable of joined letters", "\u0915\u094d"],
    ["signs before a letter", "\u0600"],
    ["pictures joined to one", "👩\u200d"],
    ["marks", "\u0301"],
    ["joiners", "\u200d"],
    ["invisible characters", "\u200b"],
    ["colours alone", `${ESC}[31m`],
    ["marks between colours", `${ESC}[31m\u0301`],
    ["unfinished colours", `${ESC}[38;5;`],
    ["unfinished commands", `${ESC}[`],
    ["unfinished texts", `${ESC}]`],
  ])("is read as far as its width needs, and not to its end: %s", (_name, unit) => {
    const start = unit.repeat(20_000 / unit.length);
    expect(drawnLine(`${start}${unit.repeat(200_000 / unit.length)}the end`, 80)).toEqual(drawnLine(start, 80));
  });

  test.each([
    ["two colours for each letter", (at: number) => `${ESC}[38;2;255;255;${at}m${ESC}[48;2;100;100;${at}mx`],
    ["a link around each letter", () => `${ESC}]8;;x${ESC}\\x${ESC}]8;;${ESC}\\`],
    ["eight marks on each letter", () => `x${"\u0301".repeat(8)}`],
    ["a family in each second column", () => "👨‍👩‍👧‍👦"],
  ])("is shown to its end with %s", (_name, column) => {
    const line = Array.from({ length: 100 }, (_, at) => column(at)).join("");
    expect(drawnLine(line, 200).width).toBe(stringWidth(line));
  });
});
