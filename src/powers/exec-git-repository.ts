import { realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { ProgramResult } from "../../sandbox/wire/answers.ts";
import { attemptOr } from "../base/attempt.ts";
import { isInside } from "../runtime/find-program.ts";
import { type ProgramOptions, runProgram } from "./run-program.ts";

/**
 * The repository that a command works in. It is found once and then named to each git: between two of them, a hook that writes
 * files could make another repository of the folder, with a configuration of its own.
 */
export interface Repository {
  /** What each git that works in it is told. */
  readonly variables: Readonly<Record<string, string>>;
  /** Real path of its work tree; `undefined` if it has none. */
  readonly top: string | undefined;
}

/** A refusal in git's own manner: the hook is told on standard error. */
export const refused = (why: string): ProgramResult => ({
  stdout: "",
  stderr: `cordon: ${why}\n`,
  code: 128,
  killed: false,
});

/** For a command outside of any repository: a git that is told this looks for one nowhere. */
const NONE: Repository = { variables: { GIT_DIR: "/dev/null/no-repository" }, top: undefined };

/** Commands that make a repository, and work in none. */
const MAKES = new Set(["clone", "init"]);

const realOf = (folder: string): string => attemptOr(() => realpathSync(folder), folder);

/** Those of these folders that a real path lies in, by their own real paths. */
const holdersOf = (real: string, folders: readonly string[]): string[] =>
  folders.map(realOf).filter((folder) => isInside(real, folder));

export const isWithinAny = (real: string, folders: readonly string[]): boolean => holdersOf(real, folders).length > 0;

/**
 * Finds the repository of a command, or says why it must not work there: a folder of a repository that is not named `.git` is
 * one that grants to write files reach, and its configuration names programs.
 *
 * @param options how git is run; its folder is the command's
 */
export async function repositoryOf(
  path: string,
  [command = ""]: readonly string[],
  options: ProgramOptions,
  workspaces: readonly string[],
): Promise<Repository | ProgramResult> {
  if (MAKES.has(command)) return { variables: {}, top: undefined };
  const asked = ["rev-parse", "--is-bare-repository", "--git-dir", "--show-toplevel"];
  const env = Object.assign(Object.create(null), options.env, { LC_ALL: "C" });
  const found = await runProgram(path, asked, { ...options, env });
  if (found.killed) return found;
  const [isBare, folder, top, ...more] = found.stdout.split("\n");
  if (!folder) return /not a git repository/.test(found.stderr) ? NONE : found;
  const real = attemptOr(() => realpathSync(resolve(options.cwd, folder)), undefined);
  if (real === undefined || more.length > 1) return refused(`the repository's folder cannot be told: ${folder}`);
  if (isUnguarded(real, workspaces))
    return refused(`the repository's folder must be named .git, or lie beside the project: ${real}`);
  if (found.code !== 0)
    return isBare === "true"
      ? { variables: { GIT_DIR: folder }, top: undefined }
      : refused(`git would run inside a repository's own folder: ${real}`);
  const tree = attemptOr(() => realpathSync(top ?? ""), undefined);
  if (tree === undefined) return refused("the repository's work tree is not there");
  return { variables: { GIT_DIR: folder, GIT_WORK_TREE: tree }, top: tree };
}

/** Grants to write never cover what is called `.git`, unless they name it. A folder that holds the project may be granted with it. */
function isUnguarded(real: string, workspaces: readonly string[]): boolean {
  const isNamed = (folder: string): boolean =>
    relative(folder, real)
      .split(sep)
      .some((part) => part.toLowerCase() === ".git");
  if (workspaces.some((folder) => isInside(realOf(folder), real))) return true;
  const holders = holdersOf(real, workspaces);
  return holders.length > 0 && !holders.some(isNamed);
}
