import fc from "fast-check";
import { expect, test } from "vitest";
import { dangerOf } from "../../src/grants/danger-rank.ts";
import { CAPABILITIES } from "../../src/powers/index.ts";
import { POWERS } from "../../src/powers/powers.ts";
import { SAMPLES } from "./powers.ts";

const names = Object.keys(POWERS).sort();

test("every power has samples that the laws of grants run over", () => {
  expect(SAMPLES.map(({ power }) => power).sort()).toEqual(names);
});

test("every operation belongs to a power", () => {
  for (const [name, { capability }] of CAPABILITIES) expect(names, name).toContain(capability);
});

test.each(SAMPLES)(
  "$power has a danger rank: without one it would be shown as the least dangerous",
  ({ power, part, join }) => {
    const grants = fc.sample(part, 20).map((one) => join([one]));
    expect(Math.max(...grants.map((grant) => dangerOf(power, grant)))).toBeGreaterThan(0);
  },
);
