import fc from "fast-check";
import { expect, test } from "vitest";
import { isShown } from "../../src/powers/shown-text.ts";

const red = "\u001b[31m";
const end = "\u001b[0m";

test.each([
  ["ab cd", ["ab cd"], true],
  ["ab cd", ["ab", "cd"], true],
  ["ab", ["a\u001b[7mb\u001b[0m"], true],
  ["ab", [`${red}x${end}ab`], true],
  ["ab", [`${red}x\u001b[39mab`], false],
  ["ab", [`${red}ab${end}`], false],
  ["ab", [`a${red}x${end}b`], false],
  ["ab", [`a${red}b`], false],
  ["ab", [`\u001b[7;31mab${end}`], false],
  ["ab", [`${red}\u001b[1mab${end}`], false],
  ["ab", [red, "ab"], true],
  ["ab", ["ba"], false],
  ["ab", [], false],
  ["", [], true],
  [`see ${"p".repeat(30)}`, ["see [paste #1 30 chars]"], false],
])("%j in %j is shown: %s", (text, lines, expected) => {
  expect(isShown(text, lines, [])).toBe(expected);
});

const long = "a pasted text that is long";

test.each([
  [`see ${long}`, ["see [paste #1 +3 lines]"], [long], true],
  [`see ${long} ${long}`, ["see [paste #1 +3 lines] [paste #1 +3 lines]"], [long, long], true],
  [`see ${long}`, ["see it"], [long], false],
  [`see ${long} rm`, ["see [paste #1 +3 lines]"], [long], false],
  [`see ${long}`, ["see [paste #1 +3 lines]"], ["another pasted text, also long"], false],
  ["short", ["[paste #1 1 chars]"], ["short"], false],
])("%j in %j after pasting %j is shown: %s", (text, lines, pasted, expected) => {
  expect(isShown(text, lines, pasted)).toBe(expected);
});

const letters = fc.string({ unit: fc.constantFrom(..."abc def"), minLength: 1, maxLength: 30 });

test("any text that is drawn plainly, however it is wrapped", () => {
  fc.assert(
    fc.property(letters, fc.integer({ min: 1, max: 12 }), (text, width) => {
      const lines = Array.from({ length: Math.ceil(text.length / width) }, (_, at) =>
        text.slice(at * width, (at + 1) * width),
      );
      expect(isShown(text, ["──", ...lines, "──"], [])).toBe(true);
    }),
  );
});

test("no text of which a letter is missing, or coloured", () => {
  const marked = letters.filter((text) => /\S/.test(text));
  fc.assert(
    fc.property(marked, fc.nat(), fc.boolean(), (text, at, coloured) => {
      const places = [...text.matchAll(/\S/g)].map(({ index }) => index);
      const place = places[at % places.length] as number;
      const letter = coloured ? `${red}${text[place]}${end}` : "";
      expect(isShown(`${text}#`, [`${text.slice(0, place)}${letter}${text.slice(place + 1)}#`], [])).toBe(false);
    }),
  );
});
