import { appendFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ExecAttack, marks, run } from "./exec-attack.ts";
import { configure, repository } from "./exec-attacks-git.ts";
import { DONE, FILTER, filter, git, laid, SHORT, stashed, trap, write } from "./exec-attacks-repositories.ts";

/** An empty name in the settings. */
export const emptyNames: ExecAttack[] = [
  trap(
    "a filter whose name is empty",
    "add a.txt",
    laid({}, "* filter=", (world) => appendFileSync(join(world, "proj", ".git", "config"), filter(world, ""))),
    DONE,
  ),
  trap(
    "a merge program whose name is empty",
    "stash apply",
    laid({}, "* merge=", (world) => {
      stashed(world);
      write(world, "a.txt", "three\n");
      git(world, "commit", "-qam", "third");
      appendFileSync(join(world, "proj", ".git", "config"), `[merge ""]\n\tdriver = "${marks(world)}"\n`);
    }),
    /^1 |^128 /,
  ),
];

const noMark = /^(0|1|128|141) /;
const HOLDS = /^128 cordon: the project holds other repositories/;

/** Settings that appear after they were read, before git starts itself again. */
export const appearing: ExecAttack[] = [
  trap(
    "settings that the stash itself brings",
    "stash apply",
    laid({ "include.path": "../more" }, FILTER, (world) => {
      write(world, "more", "");
      git(world, "add", "more");
      git(world, "commit", "-qm", "third");
      write(world, "more", filter(world));
      stashed(world);
    }),
    noMark,
  ),
  trap(
    "settings for the branch that a stash goes to",
    "stash branch other",
    laid({ "includeIf.onbranch:other.path": "{W}/more" }, FILTER, (world) => {
      stashed(world);
      writeFileSync(join(world, "more"), filter(world));
    }),
    noMark,
  ),
];

/** A repository in the repository, which the outer settings include. */
function nested(world: string): void {
  repository(world);
  const inner = join(world, "proj", "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, "x"), "x");
  run(inner, "git", "init", "-q");
  run(inner, "git", "add", ".");
  run(inner, "git", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x");
  git(world, "-c", "advice.addEmbeddedRepo=false", "add", "inner");
  git(world, "commit", "-qm", "third");
  write(world, ".gitmodules", '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n');
  configure(world, { "submodule.inner.ignore": "none" });
  appendFileSync(join(inner, ".git", "config"), filter(world));
  mkdirSync(join(inner, ".git", "info"), { recursive: true });
  writeFileSync(join(inner, ".git", "info", "attributes"), `${FILTER}\n`);
  // The same length as before, so that git must compare the content.
  writeFileSync(join(inner, "x"), "y");
  utimesSync(join(inner, "x"), 1, 1);
}

/** git starts itself there, too, where other settings apply. */
export const modules: ExecAttack[] = [
  trap("a filter of a repository inside, at a status", "status --short", nested, noMark),
  trap("a filter of a repository inside, at a diff", "diff --stat", nested, noMark),
  trap("a filter of a repository inside, at an add", "add -A", nested, noMark),
  trap("a filter of a repository inside, at a stash", "stash create", nested, noMark),
  trap("a filter of a repository inside that nothing names, at a stash", "stash create", unnamed, HOLDS),
  trap("a filter of a repository inside that nothing names, at a push to the stash", "stash push", unnamed, HOLDS),
];

/** The same, and no setting names it. */
function unnamed(world: string): void {
  nested(world);
  rmSync(join(world, "proj", ".gitmodules"));
  git(world, "config", "--remove-section", "submodule.inner");
  write(world, "a.txt", "changed\n");
}

/** A grant with the word, but of one command line: the repository would choose what else runs. */
const wordy = (attack: ExecAttack, more: Partial<ExecAttack> = {}): ExecAttack => ({
  ...attack,
  grant: attack.grant.map((entry) => ({ ...entry, fullAccess: true })),
  ...more,
});

export const named: ExecAttack[] = [
  wordy(trap("a program that packs", "archive --format=x HEAD", laid({ "tar.x.command": "MARK; cat" }), noMark)),
  wordy(trap("a tool for differences", "difftool -y --tool=x", laid({ "difftool.x.cmd": "MARK" }), noMark)),
  wordy(trap("a tool for merges", "difftool -y --tool=x", laid({ "mergetool.x.cmd": "MARK" }), noMark)),
];

/** git is recognised under any name. */
export const renamed: ExecAttack[] = [
  wordy(
    trap(
      "a watcher of files",
      "",
      laid({ "core.fsmonitor": "MARK" }, "", (world) => {
        const found = run(world, "sh", "-c", "command -v git").trim();
        symlinkSync(found, join(world, "g"));
      }),
      SHORT,
    ),
    {
      name: "a file watcher, by a link to git",
      line: ["{W}/g", "status", "--short"],
      grant: [{ program: "{W}/g", args: ["status", "--short"], fullAccess: true }],
    },
  ),
];
