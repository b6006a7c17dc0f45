import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecGrant } from "../../src/powers/exec-grant.ts";
import { temporaryFolder } from "../support/session.ts";
import { type ExecAttack, type Line, marks, NOT_GRANTED, program, run } from "./exec-attack.ts";

type Arg = ExecGrant[number]["args"][number];
const full = (...args: Arg[]): ExecGrant => [{ program: "git", args, fullAccess: true }];
const WORDS: Arg = { rest: "text" };

/** Settings, by their keys, of the repository that the session works in. */
export function configure(world: string, settings: Record<string, string>): void {
  const filled = (text: string) => text.replaceAll("MARK", marks(world)).replaceAll("{W}", world);
  for (const [key, value] of Object.entries(settings))
    run(join(world, "proj"), "git", "config", filled(key), filled(value));
}

/** Made once per test. */
let template = "";

/** Two commits, and an uncommitted change. */
export function repository(world: string, settings: Record<string, string> = {}): void {
  if (!existsSync(template)) {
    template = temporaryFolder();
    run(template, "git", "init", "-q", "-b", "main", "--template=");
    run(template, "git", "config", "user.name", "x");
    run(template, "git", "config", "user.email", "x@example.org");
    run(template, "git", "config", "core.abbrev", "12");
    writeFileSync(join(template, "a.txt"), "one\n");
    run(template, "git", "add", "a.txt");
    run(template, "git", "commit", "-qm", "first");
    run(template, "git", "commit", "-q", "--allow-empty", "-m", "second");
  }
  cpSync(template, join(world, "proj"), { recursive: true });
  writeFileSync(join(world, "proj", "a.txt"), "one\ntwo\n");
  configure(world, settings);
}

/** An option by which git runs something. The grant is as close to it as possible. */
const option = (
  name: string,
  line: Line,
  grant: ExecGrant,
  works: Line,
  gives: RegExp,
  settings: Record<string, string> = {},
  more: Partial<ExecAttack> = {},
): ExecAttack => ({
  name,
  line,
  grant,
  lay: (world) => repository(world, settings),
  refusal: NOT_GRANTED,
  works: { line: works, gives },
  ...more,
});

const STATUS: Line = ["git", "status"];
const CHANGED = /^0 .*modified: {3}a\.txt/s;
const FSMONITOR = "core.fsmonitor={MARKER}";

/** A repository of the hook's own, with a program in its settings. */
const twoRepositories = (world: string): void => {
  repository(world);
  run(world, "cp", "-r", "proj", "evil");
  run(join(world, "evil"), "git", "config", "core.fsmonitor", join(world, "marker"));
};

export const options: ExecAttack[] = [
  option("git -c", ["git", "-c", FSMONITOR, "status"], full(WORDS), STATUS, CHANGED),
  option("git -c with an alias", ["git", "-c", "alias.x=!{MARKER}", "x"], full({ kind: "text" }), STATUS, CHANGED),
  option(
    "git --config-env",
    ["git", "--config-env=core.fsmonitor=EVIL", "status"],
    full(WORDS),
    STATUS,
    CHANGED,
    {},
    { unguarded: { env: { EVIL: "{MARKER}" } } },
  ),
  option(
    "git --exec-path",
    ["git", "--exec-path={W}/evil", "x"],
    full(WORDS),
    STATUS,
    CHANGED,
    {},
    {
      lay(world) {
        repository(world);
        program(join(world, "evil", "git-x"), marks(world));
      },
    },
  ),
  option("git -C", ["git", "-C", "{W}/evil", "status"], full(WORDS), STATUS, CHANGED, {}, { lay: twoRepositories }),
  option(
    "git --git-dir",
    ["git", "--git-dir={W}/evil/.git", "--work-tree=.", "status"],
    full(WORDS),
    STATUS,
    CHANGED,
    {},
    { lay: twoRepositories },
  ),
  option(
    "git ls-remote --upload-pack",
    ["git", "ls-remote", "--upload-pack={MARKER}", "."],
    full("ls-remote", "--get-url", WORDS),
    ["git", "ls-remote", "--get-url", "origin"],
    /^0 \.\.\/copy\n$/,
    { "remote.origin.url": "../copy" },
  ),
  option(
    "git push --receive-pack",
    ["git", "push", "--receive-pack={MARKER}", ".", "HEAD"],
    full({ kind: "enum", values: ["push", "branch"] }, { kind: "ref" }),
    ["git", "branch", "other"],
    /^0 $/,
  ),
  option(
    "git archive from another place, by a program",
    ["git", "archive", "--remote=.", "--exec={MARKER}", "HEAD"],
    full("archive", WORDS),
    ["git", "archive", "HEAD"],
    /^0 .*a\.txt/s,
  ),
  option(
    "git grep with a pager",
    ["git", "grep", "-O{MARKER}", "one"],
    full("grep", WORDS),
    ["git", "grep", "two"],
    /^0 a\.txt:two\n$/,
  ),
  option(
    "git rebase --exec",
    ["git", "rebase", "--autostash", "--exec={MARKER}", "HEAD~1"],
    full("rebase", "--autostash", WORDS),
    ["git", "rebase", "--autostash", "HEAD~1"],
    /^0 .*up to date/s,
  ),
  option(
    "git difftool",
    ["git", "difftool", "--no-prompt", "--extcmd={MARKER}"],
    full({ kind: "enum", values: ["diff", "difftool"] }, WORDS),
    ["git", "diff", "a.txt"],
    /^0 .*\+two\n$/s,
  ),
  option(
    "git log --output, which writes any file",
    ["git", "log", "--output={W}/mark"],
    [{ program: "git", args: ["log", { rest: "ref" }] }],
    ["git", "log", "main"],
    /^0 .*first/s,
  ),
  option(
    "git diff --ext-diff, over what Cordon puts before it",
    ["git", "log", "-p", "--ext-diff"],
    [{ program: "git", args: ["log", "-p", { rest: "ref" }] }],
    ["git", "log", "-p", "main"],
    /^0 .*\+one/s,
    { "diff.external": "MARK; true" },
  ),
  option(
    "an alias of the repository's",
    ["git", "st"],
    full({ kind: "enum", values: ["status", "stash"] }),
    STATUS,
    CHANGED,
    { "alias.st": "!MARK" },
  ),
  option(
    "git branch --edit-description",
    ["git", "branch", "--edit-description"],
    [{ program: "git", args: ["branch", { kind: "text" }] }],
    ["git", "branch", "other"],
    /^0 $/,
    { "core.editor": "MARK; true" },
  ),
  option(
    "git hook run",
    ["git", "hook", "run", "pre-commit"],
    full("hook", "run", "pre-commit"),
    STATUS,
    CHANGED,
    {},
    {
      lay(world) {
        repository(world);
        program(join(world, "proj", ".git", "hooks", "pre-commit"), marks(world));
      },
      refusal: /^1 .*cannot find a hook named pre-commit/,
      works: { grant: [{ program: "git", args: ["status"] }], line: STATUS, gives: CHANGED },
    },
  ),
  option(
    "git fetch from ext::",
    ["git", "fetch", "ext::{MARKER}"],
    full("fetch", { kind: "text" }),
    ["git", "remote", "get-url", "origin"],
    /^0 ext::x\n$/,
    { "protocol.ext.allow": "always", "remote.origin.url": "ext::x" },
    {
      refusal: /^128 .*transport 'ext' not allowed/,
      works: {
        grant: full("remote", "get-url", { kind: "text" }),
        line: ["git", "remote", "get-url", "origin"],
        gives: /^0 ext::x\n$/,
      },
    },
  ),
];
