import fc from "fast-check";
import { expect, test } from "vitest";
import { isoTimes } from "../../src/audit/iso-times.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The last day that a date has four digits of a year for. */
const LAST = Date.UTC(10_000, 0, 1) - 1;

test("times are written as a Date writes them, in any order, near each other and far apart", () => {
  const steps = fc.array(fc.oneof(fc.nat(2000), fc.nat(120_000), fc.nat(DAY_MS)), { minLength: 1 });
  fc.assert(
    fc.property(fc.nat(LAST - 100 * DAY_MS), steps, (from, after) => {
      const timeOf = isoTimes();
      for (const step of after) expect(timeOf(from + step)).toBe(new Date(from + step).toISOString());
    }),
  );
});

test.each([0, 1, 59_999, 60_000, Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.UTC(2024, 2, 1), LAST])(
  "so is %d ms",
  (ms) => expect(isoTimes()(ms)).toBe(new Date(ms).toISOString()),
);
