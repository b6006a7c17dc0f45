import { expect, test } from "vitest";
import { looksLikeOwn, refuseOwnName } from "../../src/store/own-name.ts";

test.each([
  "cordon",
  "Cordon",
  "cordon#index.ts",
  "c0rdon",
  "cord0n",
  "corcion",
  "corc1on",
  "corclon",
  "cor-don",
  "c.o.r.d.o.n",
  "_cordon_",
  "cordon-js",
  "cordon.js",
  "cordon-ts",
  "cordon-node",
  "@evil/cordon",
  "@evil/c0rdon#a.ts",
  "@cor/don",
  "@cordon/cordon",
])("no package may be called %s", (name) => {
  expect(looksLikeOwn(name)).toBe(true);
  expect(() => refuseOwnName(name)).toThrow(expect.objectContaining({ code: "BAD_MANIFEST" }));
});

test.each([
  "gordon",
  "cordons",
  "guard-cordon",
  "cordon-hook-gate",
  "@cordon/gate",
  "accordion",
  "condor",
  "gate#cordon",
])("%s is another name", (name) => {
  expect(looksLikeOwn(name)).toBe(false);
  expect(() => refuseOwnName(name)).not.toThrow();
});
