import type { ProgramResult } from "../../sandbox/wire/answers.ts";

/** Runs git without anything that the repository's configuration names. */
export type Asks = (args: readonly string[], maxOutputBytes: number) => Promise<ProgramResult>;

/** Bytes of the list of all files of a large repository. */
const MAX_LIST_BYTES = 64_000_000;

/**
 * What git does where the project holds other repositories: it starts another git in each, for which the repository's own
 * configuration stands, and no setting from here. `ends`: it does so whatever is said. `quiet`: only to list local changes, which
 * `-q` leaves out. `undefined`: the settings of `exec-git-settings.ts` keep it out.
 */
export function entersInner([command = "", ...rest]: readonly string[]): "ends" | "quiet" | undefined {
  switch (command) {
    case "add":
    case "commit":
      return "ends";
    case "stash":
      return ["list", "show", "store", "drop"].includes(rest[0] ?? "") ? undefined : "ends";
    case "describe":
      return rest.some((arg) => /^--(?:d(?!eb)|b)/.test(arg)) ? "ends" : undefined;
    case "checkout":
      // A merge, and a choice of parts, look at each change.
      return optionsOf(rest).some((arg) => /^-[^-]*[mp]|^--[mcp]/.test(arg)) ? "ends" : "quiet";
  }
  return undefined;
}

/** Commands that start no other git, but for some of their options. */
const ALONE = new Set(
  "add blame branch cat-file checkout commit describe diff diff-files diff-index diff-tree for-each-ref log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status symbolic-ref".split(
    " ",
  ),
);

const BY_PARTS = /^-[a-ln-z]*[ip]$|^--(?:patc|inter)/;
/** Options that take another git, also shortened. */
const WITH_ANOTHER: ReadonlyMap<string, RegExp> = new Map([
  ["add", BY_PARTS],
  ["checkout", BY_PARTS],
  ["commit", new RegExp(`${BY_PARTS.source}|^--tr`)],
  ["describe", /^--b/],
  ["rev-parse", /^--show-superproject/],
]);

export const runsAlone = ([command = "", ...rest]: readonly string[]): boolean =>
  ALONE.has(command) && !optionsOf(rest).some((arg) => arg === "--help" || WITH_ANOTHER.get(command)?.test(arg));

function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).filter((arg) => arg.startsWith("-") && arg !== "-");
}

/** Whether the index, or what a checkout would put in its place, names a repository inside this one. */
export async function holdsInner(args: readonly string[], asks: Asks): Promise<boolean> {
  const names = async (listing: readonly string[]): Promise<boolean | undefined> => {
    const { code, stdout } = await asks(listing, MAX_LIST_BYTES);
    return code === 0 ? stdout.length >= MAX_LIST_BYTES || /(^|\0)160000 /.test(stdout) : undefined;
  };
  // An index that cannot be read may name any.
  if ((await names(["ls-files", "--stage", "-z", ":/"])) !== false) return true;
  const [command, ...rest] = args;
  const trees = command === "checkout" ? await treesOf(rest, asks) : command === "stash" ? stashed(rest) : [];
  for (const tree of trees) if (await names(["ls-tree", "-r", "-z", "--full-tree", tree])) return true;
  return false;
}

/** The stash that is put back: the files, and the commits that it is of, the index and the files that were not tracked among them. */
function stashed([verb = "", ...rest]: readonly string[]): string[] {
  if (!PUTS_BACK.has(verb)) return [];
  const named = rest.filter((arg) => !arg.startsWith("-"))[verb === "branch" ? 1 : 0] ?? "refs/stash";
  const stash = /^\d+$/.test(named) ? `stash@{${named}}` : named;
  return [stash, `${stash}^1`, `${stash}^2`, `${stash}^3`];
}

const PUTS_BACK: ReadonlySet<string> = new Set(["pop", "apply", "branch"]);

/** What the arguments of a checkout may mean as a commit; also a branch that it would make of a remote one. */
async function treesOf(args: readonly string[], asks: Asks): Promise<string[]> {
  const given = args.filter((arg) => arg === "-" || !arg.startsWith("-"));
  const ofRemotes = given.map((name) => `refs/remotes/*/${name}`);
  const { stdout } = await asks(["for-each-ref", "--format=%(objectname)", ...ofRemotes], MAX_LIST_BYTES);
  return [...given.map((name) => (name === "-" ? "@{-1}" : name)), ...stdout.split("\n").filter(Boolean)];
}
