import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanLine, cleanText, cut, escapeHidden, escapeUnseen, hasHidden, visibleText } from "../../src/base/text.ts";
import { anyText } from "../support/any-text.ts";

/** Written independently of Cordon's own list. */
const UNSEEN: [name: string, first: number, last?: number][] = [
  ["controls before the tab", 0, 8],
  ["controls after the newline", 0xb, 0x1a],
  ["the other controls", 0x1c, 0x1f],
  ["delete, and the C1 set", 0x7f, 0x8f],
  ["a soft hyphen", 0xad],
  ["a joiner of marks", 0x34f],
  ["an Arabic mark of direction", 0x61c],
  ["fillers of Hangul", 0x115f, 0x1160],
  ["invisible vowels of Khmer", 0x17b4, 0x17b5],
  ["selectors of Mongolian", 0x180b, 0x180f],
  ["a zero-width space", 0x200b],
  ["marks of direction", 0x200e, 0x200f],
  ["separators and embeddings", 0x2028, 0x202e],
  ["invisible operators, and isolates", 0x2060, 0x206f],
  ["an empty cell of Braille", 0x2800],
  ["the filler of Hangul", 0x3164],
  ["variation selectors", 0xfe00, 0xfe0f],
  ["a byte order mark", 0xfeff],
  ["the narrow filler of Hangul", 0xffa0],
  ["reserved characters that may become invisible", 0xfff0, 0xfff8],
  ["interlinear annotations", 0xfff9, 0xfffb],
  ["layout of hieroglyphs", 0x13430, 0x1343f],
  ["a filler of Khitan", 0x16fe4],
  ["controls of shorthand", 0x1bca0, 0x1bca3],
  ["an invisible note head", 0x1d159],
  ["beams and slurs", 0x1d173, 0x1d17a],
  ["tags, and more variation selectors", 0xe0000, 0xe0fff],
];

test.each(UNSEEN)("%s", (_name, first, last = first) => {
  for (let point = first; point <= last; point++) {
    const one = String.fromCodePoint(point);
    expect.soft(cleanText(`a${one}b`, 100), point.toString(16)).toBe("ab");
    expect.soft(visibleText(`a${one}b`, 100), point.toString(16)).toMatch(/^a(?:\\u[\da-f]{4})+b$/);
    expect.soft(hasHidden(JSON.stringify(`a${one}b`)), point.toString(16)).toBe(true);
    expect.soft(cleanText(one.repeat(34), 100), point.toString(16)).toBe("");
    const json = escapeUnseen(JSON.stringify({ a: `x${one}` }));
    expect.soft(json, point.toString(16)).not.toContain(one);
    expect.soft(JSON.parse(json), point.toString(16)).toEqual({ a: `x${one}` });
  }
});

test.each([
  ["a person at a computer", "👩\u200d💻"],
  ["a family", "👨\u200d👩\u200d👧"],
  ["a Persian verb", "می\u200cخواهم"],
  ["a Hindi conjunct", "क्\u200dष"],
  ["accents", "a\u0301\u0302"],
  ["marks of Hebrew", "בְּרֵאשִׁ֖ית"],
  ["wide letters", "漢字かな한글"],
  ["lines and tabs", "a\n\tb"],
])("%s is not changed", (_name, text) => {
  expect(cleanText(text, 100)).toBe(text);
});

test.each([
  ["between letters", "De\u200dny", "Deny"],
  ["at the start", "\u200ca", "a"],
  ["at the end", "a\u200d", "a"],
  ["one after another", "👩\u200d\u200d💻", "👩💻"],
  ["between a letter and a picture", "a\u200d💻", "a💻"],
  ["between letters of two scripts", "می\u200ca", "میa"],
])("a joiner %s joins nothing and is removed", (_name, given, shown) => {
  expect(cleanText(given, 100)).toBe(shown);
});

test("of stacked marks eight are shown, and the others are removed, or are escapes where a person decides", () => {
  const [eight, more] = [`a${"\u0301".repeat(8)}b`, `a${"\u0301".repeat(10)}b`];
  expect([cleanText(eight, 100), visibleText(eight, 100), hasHidden(eight)]).toEqual([eight, eight, false]);
  const escapes = `${eight.slice(0, -1)}\\u0301\\u0301b`;
  expect([cleanText(more, 100), visibleText(more, 100), hasHidden(more)]).toEqual([eight, escapes, true]);
  expect(escapeUnseen(more)).toBe(escapes);
});

test("however many marks stand anywhere, eight of a row stay, and a text with more has something hidden", () => {
  const unit = fc.constantFrom("a", " ", "\u0301", "\u0302", "\u0301".repeat(7), "\u{1e8d0}", "\u093e");
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = units.join("");
      const kept = text.replace(/\p{M}+/gv, (row) => [...row].slice(0, 8).join(""));
      expect(cleanText(text, 1000)).toBe(kept);
      expect(hasHidden(JSON.stringify(text))).toBe(kept !== text);
    }),
  );
});

test.each([0xa0, 0x1680, 0x2000, 0x2007, 0x200a, 0x202f, 0x205f, 0x3000])(
  "a character that only looks like a space is shown as an escape where a person decides: %i",
  (point) => {
    const one = String.fromCodePoint(point);
    const code = `\\u${point.toString(16).padStart(4, "0")}`;
    expect([visibleText(`a${one}#`, 100), escapeHidden(`a${one}#`)]).toEqual([`a${code}#`, `a${code}#`]);
    expect([hasHidden(one), cleanText(`a${one}#`, 100)]).toEqual([true, `a${one}#`]);
  },
);

test.each<[string, string, string]>([
  ["the end of a line", "cd build\r\nrm -f *", "cd build\\u000d\nrm -f *"],
  ["what chooses a picture, behind a digit", "./build1\ufe0f", "./build1\\ufe0f"],
  ["what chooses a picture", "./✔\ufe0f", "./✔\\ufe0f"],
])("%s is seen where a person decides", (_name, text, shown) => {
  expect(visibleText(text, 100)).toBe(shown);
});

test("two texts that a person decides by look alike only if they are one, but for escapes that they have themselves", () => {
  const text = anyText({ maxLength: 12 }).filter((one) => one.isWellFormed() && !one.includes("\\"));
  const unescaped = (shown: string): string =>
    shown.replace(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  fc.assert(
    fc.property(text, (given) => unescaped(visibleText(given, 1000)) === given),
    { numRuns: 5000 },
  );
});

const LOOKED_AT = 4 * 10 + 1000;
const hidden = (length: number): string => "\u200b".repeat(length);

test.each([
  ["hidden characters up to the limit", `${hidden(LOOKED_AT - 1)}a`, "a"],
  ["one letter after the limit", `${hidden(LOOKED_AT)}a`, "…"],
  ["a limit before the last hidden character", `a${hidden(LOOKED_AT)}`, "a…"],
  ["a picture at the limit", `${hidden(LOOKED_AT - 2)}👩`, "👩"],
  ["a picture across the limit", `a${hidden(LOOKED_AT - 2)}👩`, "a…"],
  ["a sequence across the limit", `a${hidden(LOOKED_AT - 3)}\u001b[31mred`, "a…"],
  ["letters to the limit", "a".repeat(10), "a".repeat(10)],
  ["letters over the limit", "a".repeat(11), `${"a".repeat(9)}…`],
])("only a multiple of the shown length of a text is examined: %s", (_name, given, shown) => {
  expect(cleanText(given, 10)).toBe(shown);
});

test("the result for any text is visible, does not change when cleaned again, and has no new lone surrogate", () => {
  const text = anyText({ maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 60 }), (given, most) => {
      const shown = cleanText(given, most);
      expect(shown.length).toBeLessThanOrEqual(most);
      expect(cleanText(shown, most)).toBe(shown);
      expect(shown.isWellFormed()).toBe(given.isWellFormed());
      expect(cleanLine(given, most)).not.toMatch(/[\n\t]/);
    }),
    { numRuns: 5000 },
  );
});

test.each(["a\nb\tc", "عربى", "é 漢字 😀", "", "[31m"])("in %j nothing is unseen", (text) => {
  expect([hasHidden(JSON.stringify(text)), visibleText(text, 100)]).toEqual([false, text]);
});

test("a text is cut where its escapes make it too long, those of colours too", () => {
  expect(visibleText("\u0007".repeat(3), 18)).toBe("\\u0007\\u0007\\u0007");
  expect(visibleText("\u0007".repeat(3), 17)).toBe("\\u0007\\u0007\\u00…");
  expect(visibleText(`${"\u001b[1m".repeat(1000)}x`, 10)).toBe("\\u001b[1m…");
});

test("a text that shows what is not seen is cut as if all of it had been read", () => {
  const pieces = ["a", "\u200b", "\u200d", "\u{1f469}", "\u2800", "\u00a0", "e\u0301", "\n", "\u0639"];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 30 }),
      fc.integer({ min: 2, max: 25 }),
      (some, most) => {
        const text = some.join("");
        const whole = visibleText(text, 1000);
        const expected = whole.length > most || text.length > most ? `${cut(whole, most - 1)}…` : whole;
        expect(visibleText(text, most)).toBe(expected);
      },
    ),
    { numRuns: 3000 },
  );
  expect([10, 11].map((length) => visibleText("a".repeat(length), 10))).toEqual(["a".repeat(10), `${"a".repeat(9)}…`]);
});
