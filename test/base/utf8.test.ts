import fc from "fast-check";
import { test } from "vitest";
import { textOf } from "../../src/base/utf8.ts";
import { anyText } from "../support/any-text.ts";

/** From here on, a text is read in another way. */
const LARGE = 64 * 1024;

test("bytes have the text that Buffer reads from them, whatever they are and however many", () => {
  const bytes = fc.oneof(
    anyText({ maxLength: 20 }).map((text) => Buffer.from(text)),
    fc.constantFrom("\ufeff", "é", "\u2800", "😀", "x").map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 3 }).map((some) => Buffer.from(some)),
  );
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 5 }), fc.integer({ min: LARGE - 8, max: LARGE + 8 }), (parts, length) => {
      const part = Buffer.concat([Buffer.from("["), ...parts]);
      const whole = Buffer.alloc(length + 6, part);
      return textOf(whole, 3, length + 3) === whole.toString("utf8", 3, length + 3);
    }),
  );
});
