import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Algebra } from "../../src/powers/algebra.ts";
import { POWERS } from "../../src/powers/powers.ts";
import { LONG } from "../support/length.ts";
import { SAMPLES } from "./powers.ts";

const numRuns = LONG ? 20_000 : 400;

describe.each(SAMPLES)("grants of $power", ({ power, part, join, use, decided, allows }) => {
  const { covers, union, minus, meet } = POWERS[power] as Algebra<unknown>;
  const grant = fc.option(fc.array(part, { minLength: 1, maxLength: 3 }).map(join), { nil: undefined });
  const may = (of: unknown, one: unknown): boolean => of !== undefined && allows(of, one as never);
  const holds = <Values extends [unknown, ...unknown[]]>(
    values: { [At in keyof Values]: fc.Arbitrary<Values[At]> },
    law: (...drawn: Values) => void,
    runs = numRuns,
  ) => fc.assert(fc.property(...values, law), { numRuns: runs });

  test("a grant covers itself, and no grant is covered by all", () => {
    holds([grant], (one) => {
      expect(covers(one, one)).toBe(true);
      expect(covers(one, undefined)).toBe(true);
    });
  });
  test("covering is transitive", () => {
    holds([grant, grant, grant], (a, b, c) => {
      if (covers(a, b) && covers(b, c)) expect(covers(a, c)).toBe(true);
      expect(covers(union(a, b), meet(b, c))).toBe(true);
      expect(covers(union(union(a, b), c), b)).toBe(true);
    });
  });
  test("a union covers both, and allows exactly what one of them allows", () => {
    holds([grant, grant, use], (a, b, one) => {
      const both = union(a, b);
      expect([covers(both, a), covers(both, b)]).toEqual([true, true]);
      expect(may(both, one)).toBe(may(a, one) || may(b, one));
    });
  });
  test("the left covers the difference, and the right joined with the difference covers the left", () => {
    holds([grant, grant, use], (a, b, one) => {
      const left = minus(a, b);
      expect(covers(a, left)).toBe(true);
      expect(covers(union(b, left), a)).toBe(true);
      if (may(left, one)) expect(may(a, one)).toBe(true);
    });
  });
  test("the difference is empty if, and only if, the right covers the left", () => {
    holds([grant, grant], (a, b) => {
      expect(covers(undefined, minus(a, b))).toBe(covers(b, a));
    });
  });
  test("both cover a meet, and the meet of a grant with one that covers it is the grant", () => {
    holds([grant, grant, use], (a, b, one) => {
      const common = meet(a, b);
      expect([covers(a, common), covers(b, common)]).toEqual([true, true]);
      if (may(common, one)) expect([may(a, one), may(b, one)]).toEqual([true, true]);
      if (covers(a, b)) expect([covers(common, b), covers(meet(b, a), b)]).toEqual([true, true]);
    });
  });
  test("a grant allows everything that a grant that it covers allows", () => {
    holds([grant, grant, use], (a, b, one) => {
      if (covers(a, b) && may(b, one)) expect(may(a, one)).toBe(true);
    });
  });
  // Some checks access the disk: a minute is too short for all of them at full length.
  const timeout = LONG ? 600_000 : 60_000;
  test("a grant of one part covers another if, and only if, it allows everything that the other allows", {
    timeout,
  }, () => {
    holds(
      [decided.part, decided.part],
      (a, b) => {
        const refuses = decided.uses.some((one) => may(b, one) && !may(a, one));
        expect(covers(a, b)).toBe(!refuses);
      },
      LONG ? 3000 : 60,
    );
  });
  test("no operation changes a grant", () => {
    holds([grant, grant], (a, b) => {
      const before = JSON.stringify([a, b]);
      for (const operation of [covers, union, minus, meet]) operation(a, b);
      expect(JSON.stringify([a, b])).toBe(before);
    });
  });
});
