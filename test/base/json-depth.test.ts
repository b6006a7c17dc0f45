import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { deepJson, isDeeper } from "../../src/base/json-depth.ts";

const nested = (depth: number, inner: string): string => `${'[{"0":'.repeat(depth)}${inner}${"}]".repeat(depth)}`;

test("a value of any depth is written as JSON.stringify would write it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const deep = nested(5000, text);
      return deepJson(readJson(deep)) === nested(5000, JSON.stringify(readJson(text)));
    }),
    { numRuns: 50 },
  );
});

test("what is no JSON is refused as JSON.stringify refuses it", () => {
  const circle: Record<string, unknown> = {};
  circle.own = circle;
  expect(() => deepJson(circle)).toThrow(TypeError);
});

test.each([
  [3, false],
  [2, true],
])("levels are counted: more than %i in three", (levels, is) => {
  expect(isDeeper([[[1]]], levels)).toBe(is);
});
