import { describe, expect, test } from "vitest";
import { sampled } from "../support/length.ts";
import { needs } from "../support/needs.ts";
import { attemptAll, type ExecAttack, missing, withoutTheWord } from "./exec-attack.ts";
import { ends, letters, places, values } from "./exec-attacks-arguments.ts";
import * as environment from "./exec-attacks-environment.ts";
import * as git from "./exec-attacks-git.ts";
import { placesOfPrograms, relativeInterpreters, shadows, swaps, swapsOfInterpreters } from "./exec-attacks-places.ts";
import { npm, options } from "./exec-attacks-programs.ts";
import * as repositories from "./exec-attacks-repositories.ts";
import * as restarts from "./exec-attacks-restarts.ts";
import { ways } from "./exec-attacks-shells.ts";
import { grants } from "./exec-attacks-words.ts";

const SUITES: Record<string, readonly ExecAttack[]> = {
  "options of granted programs run no other program": options,
  "npm runs only what was granted": npm,
  "a program that can run another needs the word in its grant": grants,
  "options of git run no program": git.options,
  "settings of a repository run no program": repositories.settings,
  "hooks of a repository do not run": repositories.hooks,
  "settings under an empty name run no program": restarts.emptyNames,
  "settings that appear while git runs name no program": restarts.appearing,
  "settings of a nested repository run no program": restarts.modules,
  "settings for rarer commands run no program": restarts.named,
  "git under another name runs no program of a repository": restarts.renamed,
  "only strings are arguments": values,
  "a name is granted letter by letter": letters,
  "no character ends an argument early": ends,
  "each parameter takes only its own kind": places,
  "the agent's environment does not reach a program": environment.agents,
  "a grant's environment loads nothing": environment.granted,
  "a grant's environment loads nothing, for any program": environment.grantedLetters,
  "a hook's environment does not reach a program": environment.hooks,
  "node:child_process has no way to a shell or another folder": ways,
  "the project's programs are not found": shadows,
  "a program runs only from the path that was granted": placesOfPrograms,
  "an interpreter is not searched in the project": relativeInterpreters,
  "a program that changed since the session's start is not run": swaps,
  "an interpreter that changed since the session's start is not run": swapsOfInterpreters,
};

describe.each(Object.entries(SUITES))("%s", (_promise, attacks) => {
  const possible = attacks.filter((attack) => missing(attack).length === 0);
  test("each attack fails, and its harmless neighbour works", needs(possible.length === 0 && "the programs"), () =>
    attemptAll(sampled(possible, 8)),
  );
  for (const attack of attacks.filter((attack) => !possible.includes(attack)))
    test(attack.name, needs(missing(attack).join(", ")), () => {});
});

const ALL = Object.values(SUITES).flat();

test("a grant that needs the word is refused without it", () => withoutTheWord(ALL));

test("no two attacks have the same name, and there are more than forty", () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  expect(ALL.length).toBeGreaterThan(40);
});
