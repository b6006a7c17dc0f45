import { EDITED } from "./sample-arguments.ts";

/** Each object of a sample repository. */
export const SHA = "5a3e1e0f5a3e1e0f5a3e1e0f5a3e1e0f5a3e1e0f";

/** A changed file, as version 2 of `git status --porcelain` has it. */
const CHANGED = `1 .M N... 100644 100644 100644 ${SHA} ${SHA} sample.txt`;

/** What git says in a repository with one change, by the beginnings of its arguments. The first that fits counts. */
const SAYS: readonly (readonly [args: string, says: string])[] = [
  ["rev-parse --is-inside-work-tree", "true"],
  ["rev-parse --is-bare-repository", "false"],
  ["rev-parse --git-dir", ".git"],
  ["rev-parse --absolute-git-dir", "$CWD/.git"],
  ["rev-parse --git-common-dir", ".git"],
  ["rev-parse --git-path HEAD", ".git/HEAD"],
  ["rev-parse --git-path index", ".git/index"],
  ["rev-parse --show-toplevel", "$CWD"],
  ["rev-parse --show-prefix", ""],
  ["rev-parse --abbrev-ref", "sample"],
  ["rev-parse --short", SHA.slice(0, 7)],
  ["rev-parse", SHA],
  ["branch --show-current", "sample"],
  ["branch", "* sample"],
  ["symbolic-ref", "refs/heads/sample"],
  [
    "status --porcelain=v2 --branch",
    `# branch.oid ${SHA}\n# branch.head sample\n# branch.upstream origin/sample\n# branch.ab +1 -0\n${CHANGED}`,
  ],
  ["status --porcelain=v2", CHANGED],
  ...["-sb", "-b", "--branch", "--short --branch", "--porcelain -b", "--porcelain --branch", "--porcelain=v1 -b"].map(
    (options): readonly [string, string] => [`status ${options}`, "## sample...origin/sample [ahead 1]\n M sample.txt"],
  ),
  ["status", " M sample.txt"],
  ["diff --name-only", "sample.txt"],
  ["diff --name-status", "M\tsample.txt"],
  ["diff --numstat", "1\t1\tsample.txt"],
  ["ls-files", "sample.txt"],
  ["log", `${SHA} sample`],
  ["rev-list --count", "1"],
  ["rev-list", SHA],
  ["merge-base", SHA],
  ["write-tree", SHA],
  ["commit-tree", SHA],
  ["hash-object", SHA],
  ["stash create", SHA],
  ["for-each-ref", ""],
  ["stash list", ""],
  ["worktree list", `$CWD ${SHA.slice(0, 7)} [sample]`],
  ["remote get-url", "https://github.com/sample/sample.git"],
  ["remote -v", "origin\thttps://github.com/sample/sample.git (fetch)"],
  ["remote", "origin"],
  ["config", "sample"],
];

/** Options before the subcommand, each with its value. */
const LEADING = /^(?:(?:-c|-C|--git-dir|--work-tree) \S+ |--\S+ )*/;

/** A new file, for those who ask for these. */
function untracked(asked: string): string {
  if (!asked.startsWith("status") || !/--untracked-files=(all|normal)|-u(all)?( |$)/.test(asked)) return "";
  return asked.includes("--porcelain=v2") ? `\n? ${EDITED}` : `\n?? ${EDITED}`;
}

/** What a sample git answers. Hooks ask it in turn, and end where the first answer makes no sense. */
export function sampleGit(args: readonly string[], cwd: string): string {
  const asked = args
    .join(" ")
    .replace(LEADING, "")
    .replace("--path-format=absolute ", "")
    .replace("--porcelain=2", "--porcelain=v2");
  const known = SAYS.find(([start]) => asked === start || asked.startsWith(`${start} `))?.[1] ?? "sample";
  const says = `${known}${untracked(asked)}`;
  const isWhole = args.includes("--path-format=absolute");
  // `-z` ends each with a zero instead of a line.
  if (args.includes("-z")) return `${says.replaceAll("\n", "\0")}\0`;
  return says === "" ? "" : `${says.replace("$CWD", cwd).replace(/^(?=\.git(\/|$))/, isWhole ? `${cwd}/` : "")}\n`;
}
