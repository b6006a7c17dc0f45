import { test } from "vitest";
import { numbers } from "./fs-numbers.ts";
import { compare } from "./fs-sides.ts";

test("what is no number of an open file gives the same errors as in Node, except for the listed differences", () =>
  compare(numbers));
