import { visibleWidth as widthInPi } from "@earendil-works/pi-tui";
import { visibleWidth as widthInOldPi } from "@mariozechner/pi-tui";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { drawnLine } from "../../src/base/drawn-line.ts";
import { textWidth } from "../../src/base/text-width.ts";
import { box } from "../../src/powers/screen-frame.ts";
import { anyText } from "../support/any-text.ts";

const ESC = "\u001b";

test.each([
  ["plain", 5],
  ["日本", 4],
  ["각", 2],
  ["각".normalize("NFD"), 2],
  ["e\u0301", 1],
  ["का", 2],
  ["ทำ", 2],
  ["👩‍👧", 2],
  ["👍🏽", 2],
  ["🇩🇪", 2],
  ["가\u0e33\u0eb3", 4],
  ["👩\u0903", 3],
  ["က\u103a", 2],
])("%j takes %i columns", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

/** Blocks whose characters join others, and those around which measures differ. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0x300, 0x310],
  [0x600, 0x65f],
  [0x900, 0x97f],
  [0xb80, 0xbff],
  [0xe00, 0xe4f],
  [0xe80, 0xecf],
  [0x1000, 0x103f],
  [0x1100, 0x11ff],
  [0x200b, 0x200d],
  [0x20d0, 0x20e3],
  [0x2600, 0x27bf],
  [0x302e, 0x309c],
  [0xac00, 0xac20],
  [0xa960, 0xa97c],
  [0xd7b0, 0xd7fb],
  [0xfe0e, 0xfe0f],
  [0xff65, 0xff9f],
  [0x110bd, 0x110cd],
  [0x16d63, 0x16d6a],
  [0x1f1e6, 0x1f1ff],
  [0x1f3fb, 0x1f3ff],
  [0x1f466, 0x1f469],
];
const character = fc.oneof(
  ...BLOCKS.map(([min, max]) => fc.integer({ min, max }).map((code) => String.fromCodePoint(code))),
);
const colour = fc.constantFrom(`${ESC}[31m`, `${ESC}[0m`);
const unit = fc.oneof(
  { arbitrary: character, weight: 12 },
  { arbitrary: colour, weight: 1 },
  anyText({ maxLength: 1 }),
);
const line = fc
  .tuple(fc.array(unit, { maxLength: 8 }), fc.integer({ min: 1, max: 30 }))
  .map(([units, times]) => units.join("").repeat(times));

describe.each([
  { measure: "pi", widthOf: widthInPi },
  { measure: "pi 0.27.9", widthOf: widthInOldPi },
  { measure: "string-width", widthOf: stringWidth },
])("by the measure of $measure", ({ widthOf }) => {
  test("no line of a component is wider than its frame", () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 5, max: 60 }), (text, width) => {
        const drawn = drawnLine(text, width);
        expect(widthOf(drawn.text)).toBeLessThanOrEqual(drawn.width);
        const [, framed] = box([drawnLine(text, width - 4)], "painter", width, "has the keyboard");
        expect(widthOf(framed as string)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 3000 },
    );
  });
});
