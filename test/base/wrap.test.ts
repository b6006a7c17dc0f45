import fc from "fast-check";
import { expect, test } from "vitest";
import { textWidth } from "../../src/base/text-width.ts";
import { wrap } from "../../src/base/wrap.ts";

const REFUSED = "hook reads was not granted net: GET https://example.com/x; run: ";
const GRANT = `cordon grant reads net '{"connect":["example.com:443"]}'`;

test.each([
  [100, [`${REFUSED.trim()}`, `${GRANT}; or cordon disable reads`]],
  [60, ["hook reads was not granted net: GET https://example.com/x;", "run:", `${GRANT}; or`, "cordon disable reads"]],
  [57, ["hook reads was not granted net: GET", "https://example.com/x; run:", `${GRANT};`, "or cordon disable reads"]],
])("a command that a row of %i columns has room for stays on one", (width, rows) => {
  expect(wrap(`${REFUSED}${GRANT}; or cordon disable reads`, width)).toEqual(rows);
});

test("of a row without room for it, a command is broken between its words", () => {
  expect(wrap(`run: ${GRANT}`, 40)).toEqual(["run: cordon grant reads net", `'{"connect":["example.com:443"]}'`]);
});

test("wrapped rows have all words in their order, and no row is wider than it may be", () => {
  const word = fc.oneof(
    fc.constantFrom("cordon", "or", "and", "run:", "grant;", "a,", "", "é", "漢字"),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 2, max: 60 }), (words, width) => {
      const text = words.join(" ").replace(/\p{C}/gu, "x");
      const rows = wrap(text, width);
      expect(rows.every((row) => textWidth(row) <= width)).toBe(true);
      expect(rows.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }),
  );
});
