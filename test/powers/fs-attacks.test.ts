import { expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { attemptAll } from "./fs-attack.ts";
import { kernel, oddFiles } from "./fs-attacks-files.ts";
import { everyCall, patterns, rightsApart } from "./fs-attacks-globs.ts";
import { links, linksThemselves } from "./fs-attacks-links.ts";
import { moves } from "./fs-attacks-moves.ts";
import { codeNames, namedExactly, secretNames } from "./fs-attacks-names.ts";
import { listings, oracles } from "./fs-attacks-oracles.ts";
import { disguises, spellings } from "./fs-attacks-paths.ts";

const SUITES = {
  "a path is refused in any spelling": spellings,
  "a path is refused in any type of value": disguises,
  "links are followed before a path is checked": links,
  "a link itself is checked by its own path": linksThemselves,
  "files of the kernel are never granted": kernel,
  "only plain files are read and written": oddFiles,
  "no wildcard for reading covers names of secrets": secretNames,
  "no wildcard for writing covers names that are run or obeyed": codeNames,
  "a refused name works if the grant has the exact name": namedExactly,
  "patterns cover no more than they say": patterns,
  "each right is separate": rightsApart,
  "each call is refused outside, in each form": everyCall,
  "moves and copies carry nothing into or out of the granted folders": moves,
  "answers do not reveal which files exist outside": oracles,
  "listings and watches show only granted files": listings,
};

for (const [promise, attacks] of Object.entries(SUITES)) test(promise, () => attemptAll(sampled(attacks)));

test("no two attacks of a suite have the same name", () => {
  for (const attacks of Object.values(SUITES))
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
});
