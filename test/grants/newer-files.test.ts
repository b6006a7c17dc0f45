import { expect, test } from "vitest";
import { checkManifest } from "../../src/grants/manifest.ts";
import { checkIndex } from "../../src/market/hook-index.ts";
import { parseGrants } from "../../src/store/grants-text.ts";
import { parseLock } from "../../src/store/hooks-lock.ts";

const file = (version: number): string => JSON.stringify({ version, hooks: {} });

test.each<[what: string, read: (version: number) => unknown]>([
  ["a lock", (version) => parseLock(file(version), "x.json")],
  ["grants", (version) => parseGrants(file(version), "x.json")],
  ["an index", (version) => checkIndex({ version, name: "team", hooks: {} }, "x.json")],
])("%s that a newer Cordon wrote says so, and what helps", (_what, read) => {
  expect(() => read(2)).toThrow("x.json: version 2 is of a newer Cordon; this one reads version 1: update it");
  expect(() => read(0)).toThrow("x.json: version must be one of 1");
  expect(() => read(1)).not.toThrow();
});

test("a file without a version has none of a newer one", () => {
  expect(() => checkManifest({ version: 2 }, "x.json")).toThrow('x.json: unknown key "version"');
});
