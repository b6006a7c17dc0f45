/** What ordinary commands show of files, by the arguments that a grant names. */

interface Entry {
  readonly program: string;
  readonly args: readonly unknown[];
  readonly fullAccess?: boolean | undefined;
}

/** Programs that read the files that they are given: the agent's environment is one. */
export const READS_FILES = new Set(["cat", "head", "tail", "wc", "ls"]);

/** A name, or its beginning, for a regular expression. */
export function shortened(name: string): string {
  return [...name].reduceRight((rest, letter) => (rest === "" ? letter : `${letter}(?:${rest})?`), "");
}

/**
 * An option by its letters, behind others, or by its names, which git and the C library also take shortened; with its value, if that is
 * part of the argument.
 */
function option(letters: string, ...names: string[]): RegExp {
  const short = letters === "" ? [] : [`-[A-Za-z0-9]*?[${letters}]([\\s\\S]*)`];
  const long = names.map((name) => `--${shortened(name)}(?:=([\\s\\S]*))?`);
  return new RegExp(`^(?:${[...short, ...long].join("|")})$`);
}

/** Options of ordinary commands whose value is a file that they show, or say something of. */
export const FILE_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["date", option("fr", "file", "reference")],
  ["git add", option("", "pathspec-from-file")],
  ["git blame", option("S", "contents", "ignore-revs-file")],
  ["git checkout", option("", "pathspec-from-file")],
  ["git commit", option("Ft", "file", "template", "pathspec-from-file")],
  ["git log", option("O")],
  ["git ls-files", option("X", "exclude-from", "exclude-per-directory")],
  ["git show", option("O")],
  ["git stash", option("", "pathspec-from-file")],
]);

const commandOf = (program: string, args: readonly unknown[]): string =>
  program === "git" ? `git ${args[0]}` : program;

function namesFile({ program, args }: Entry): boolean {
  const options = FILE_OPTIONS.get(commandOf(program, args));
  return options !== undefined && args.some((arg) => typeof arg === "string" && options.test(arg));
}

/** The file that an argument of an entry names as part of an option, if it does. */
export const fileInOption = ({ program, args }: Entry, arg: unknown): string | undefined =>
  typeof arg === "string" ? FILE_OPTIONS.get(commandOf(program, args))?.exec(arg)?.slice(1).find(Boolean) : undefined;

/** Subcommands of git that show nothing of what is in the files of the work tree. */
const GIT_QUIET = new Set(
  "branch describe for-each-ref ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show-ref symbolic-ref".split(
    " ",
  ),
);
/** With these, `git status` shows differences, too. */
const isVerbose = (arg: unknown): boolean => typeof arg === "string" && /^(-[A-Za-z]*v|--v)/.test(arg);

/** It may show what is in any file of a work tree, whichever its arguments name. */
export function showsTree({ program, args, fullAccess }: Entry): boolean {
  const [command] = args;
  if (program !== "git" || fullAccess === true || typeof command !== "string") return false;
  return command === "status" ? args.some(isVerbose) : !GIT_QUIET.has(command);
}

/** The arguments of this entry are names of files, whatever kind they are of: it shows what is in them. */
export const readsFiles = (entry: Entry): boolean =>
  entry.fullAccess !== true &&
  (READS_FILES.has(entry.program) || commandOf(entry.program, entry.args) === "git diff" || namesFile(entry));

/** It shows all of each file that its arguments name, and not just that it is there, or its beginning. */
export const showsWhole = ({ program, args, fullAccess }: Entry): boolean =>
  program === "cat" && fullAccess !== true && !args.some((arg) => typeof arg === "string" && arg.startsWith("-"));

/** An option of `wc` that takes the names of its files from a file. */
export const LISTS_FILES = new RegExp(`^--${shortened("files0-from")}(=|$)`);
export const listsFiles = (arg: unknown): boolean => typeof arg === "string" && LISTS_FILES.test(arg);
