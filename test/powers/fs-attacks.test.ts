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
  "a path is refused however it is spelled": spellings,
  "a path is refused in whatever it comes": disguises,
  "links are followed before a path is judged": links,
  "a link is judged by where it stands": linksThemselves,
  "files of the kernel are nobody's": kernel,
  "only plain files are read and written": oddFiles,
  "names of secrets are covered by no wildcard for reading": secretNames,
  "names that are run or obeyed are covered by no wildcard for writing": codeNames,
  "a refused name works when it is named exactly": namedExactly,
  "patterns end where they say": patterns,
  "each right is its own": rightsApart,
  "each call is refused outside, in each of its forms": everyCall,
  "moves and copies carry nothing over a border": moves,
  "answers do not tell what is outside": oracles,
  "listings and watches tell only of what is granted": listings,
};

for (const [promise, attacks] of Object.entries(SUITES)) test(promise, () => attemptAll(sampled(attacks)));

test("no two attacks of a suite have the same name", () => {
  for (const attacks of Object.values(SUITES))
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
});
