import { expect, test } from "vitest";
import { counted } from "../../src/base/counted.ts";

test.each<[count: number, what: string, text: string]>([
  [0, "error", "0 errors"],
  [1, "error", "1 error"],
  [2, "error", "2 errors"],
  [1, "dependency", "1 dependency"],
  [3, "dependency", "3 dependencies"],
  [2, "day", "2 days"],
])("%d %s", (count, what, text) => {
  expect(counted(count, what)).toBe(text);
});
