import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ExecAttack, marks, program, run } from "./exec-attack.ts";
import { configure, repository } from "./exec-attacks-git.ts";

/** A plain command in a repository that is prepared so that git runs a program for it; `says` is its outcome instead. */
export const trap = (name: string, command: string, lay: (world: string) => void, says: RegExp): ExecAttack => ({
  name,
  line: ["git", ...command.split(" ")],
  grant: [{ program: "git", args: command.split(" ") }],
  lay,
  refusal: says,
  // A setting that names no program still works: this many digits.
  works: {
    grant: [{ program: "git", args: ["rev-parse", "--short", "HEAD"] }],
    line: ["git", "rev-parse", "--short", "HEAD"],
    gives: /^0 [0-9a-f]{12}\n$/,
  },
});

export const laid =
  (settings: Record<string, string>, attributes = "", more: (world: string) => void = () => {}) =>
  (world: string): void => {
    repository(world);
    more(world);
    configure(world, settings);
    attribute(world, attributes);
  };
const attribute = (world: string, text: string): void => {
  mkdirSync(join(world, "proj", ".git", "info"), { recursive: true });
  writeFileSync(join(world, "proj", ".git", "info", "attributes"), `${text}\n`);
};
export const git = (world: string, ...args: string[]): string => run(join(world, "proj"), "git", ...args);
export const write = (world: string, path: string, text: string): void =>
  writeFileSync(join(world, "proj", path), text);
export const filter = (world: string, name = "f", does = "clean"): string =>
  `[filter "${name}"]\n\t${does} = "${marks(world)}; cat"\n`;
const hook =
  (name: string, folder = ".git/hooks") =>
  (world: string) =>
    program(join(world, "proj", folder, name), marks(world));

/** A stash that was made before the settings, so that the command restores its change of `a.txt`. */
export const stashed = (world: string): void => void git(world, "stash", "-q");

/** A commit that claims to be signed. */
function signed(world: string): void {
  const tree = git(world, "rev-parse", "HEAD^{tree}").trim();
  const text = `tree ${tree}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\nsigned\n`;
  writeFileSync(join(world, "commit"), text);
  const id = git(world, "hash-object", "-t", "commit", "-w", "../commit").trim();
  git(world, "branch", "signed", id);
}

export const SHORT = /^0 {2}M a\.txt\n$/;
export const DONE = /^0 /;
export const FILTER = "* filter=f";

/** Settings of `.git/config` and of the files that it includes. */
export const settings: ExecAttack[] = [
  trap("a watcher of files", "status --short", laid({ "core.fsmonitor": "MARK" }), SHORT),
  trap(
    "a filter in a file that is included",
    "add a.txt",
    laid({ "include.path": "{W}/more" }, FILTER, (world) => writeFileSync(join(world, "more"), filter(world))),
    DONE,
  ),
  trap(
    "a filter in a file for this place alone",
    "diff",
    laid({ "includeIf.gitdir:{W}/.path": "{W}/more" }, FILTER, (world) =>
      writeFileSync(join(world, "more"), filter(world)),
    ),
    /^0 .*\+two\n$/s,
  ),
  trap(
    "a filter in a file for this branch alone",
    "diff",
    laid({ "includeIf.onbranch:main.path": "{W}/more" }, FILTER, (world) =>
      writeFileSync(join(world, "more"), filter(world)),
    ),
    /^0 .*\+two\n$/s,
  ),
  trap(
    "a filter for this work tree alone",
    "add a.txt",
    laid({ "extensions.worktreeConfig": "true" }, FILTER, (world) =>
      write(world, ".git/config.worktree", filter(world)),
    ),
    DONE,
  ),
  trap("a filter at a checkout", "checkout a.txt", laid({ "filter.f.smudge": "MARK; cat" }, FILTER), DONE),
  trap(
    "a filter that stays",
    "add a.txt",
    laid({ "filter.f.process": "MARK", "filter.f.required": "true" }, FILTER),
    DONE,
  ),
  trap(
    "the settings behind a file named .git",
    "add a.txt",
    (world) => {
      laid({ "filter.f.clean": "MARK; cat" }, FILTER)(world);
      renameSync(join(world, "proj", ".git"), join(world, "hidden"));
      write(world, ".git", "gitdir: ../hidden\n");
    },
    DONE,
  ),
  trap("a program that shows differences", "diff", laid({ "diff.external": "MARK; true" }), /^0 .*\+two\n$/s),
  trap(
    "a program that shows a kind of file as text",
    "log -p",
    laid({ "diff.d.textconv": "MARK; cat" }, "* diff=d"),
    /^0 .*\+one/s,
  ),
  trap(
    "the same for who wrote each line",
    "blame -s a.txt",
    laid({ "diff.d.textconv": "MARK; cat" }, "* diff=d"),
    /^0 .*two\n$/s,
  ),
  trap(
    "a program that merges, at a stash",
    "stash apply",
    laid({ "merge.m.driver": "MARK" }, "* merge=m", (world) => {
      stashed(world);
      write(world, "a.txt", "three\n");
      git(world, "commit", "-qam", "third");
    }),
    /^1 /,
  ),
  trap(
    "a program that looks at signatures",
    "log -1 --show-signature signed",
    laid({ "gpg.openpgp.program": "{W}/marker" }, "", signed),
    /^0 .*signed/s,
  ),
  trap(
    "a program that signs",
    "commit -am x",
    laid({ "commit.gpgSign": "true", "gpg.format": "x509", "gpg.x509.program": "{W}/marker" }),
    /^0 .*1 file changed/s,
  ),
  trap(
    "a trailer's command",
    "commit -am x --trailer t=v",
    laid({ "trailer.t.cmd": "MARK; echo" }),
    /^0 .*1 file changed/s,
  ),
  trap("an editor", "commit -a", laid({ "core.editor": "MARK; true" }), /^1 .*editor/s),
  trap(
    "a place to fetch missing files from",
    "show HEAD:a.txt",
    (world) => {
      laid({
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ext::{W}/marker",
        "protocol.ext.allow": "always",
      })(world);
      const id = git(world, "rev-parse", "HEAD:a.txt").trim();
      rmSync(join(world, "proj", ".git", "objects", id.slice(0, 2), id.slice(2)));
    },
    /^128 /,
  ),
];

/** Programs that git runs because of their location. */
export const hooks: ExecAttack[] = [
  trap("a hook before a commit", "commit -am x", laid({}, "", hook("pre-commit")), /^0 .*1 file changed/s),
  trap("a hook after a checkout", "checkout -q -b other", laid({}, "", hook("post-checkout")), DONE),
  trap("a hook at each change of a ref", "branch other", laid({}, "", hook("reference-transaction")), DONE),
  trap("a hook at each change of the index", "add a.txt", laid({}, "", hook("post-index-change")), DONE),
  trap(
    "a hook in a folder of the project's own",
    "commit -am x",
    laid({ "core.hooksPath": "ours" }, "", hook("commit-msg", "ours")),
    /^0 .*1 file changed/s,
  ),
];
