import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { ProgramResult } from "../../sandbox/wire/answers.ts";
import { INDEX_VARIABLE } from "../../sandbox/wire/environment.ts";
import { builtForHost } from "../base/package-root.ts";
import { type Configuration, configurationOf, LIST_BYTES } from "./exec-git-configuration.ts";
import { entersInner, holdsInner, runsAlone } from "./exec-git-inner.ts";
import { NETWORK_REMOTE, NETWORK_SETTINGS, NO_NETWORK, TRANSPORTS } from "./exec-git-network.ts";
import { onOwnIndex } from "./exec-git-own-index.ts";
import { isWithinAny, type Repository, refused, repositoryOf } from "./exec-git-repository.ts";
import { NAMED, SETTINGS } from "./exec-git-settings.ts";
import { inTurn } from "./exec-git-turns.ts";
import type { ExecEntry } from "./exec-grant.ts";
import { staysInFolder } from "./exec-paths.ts";
import { type ProgramOptions, runProgram } from "./run-program.ts";

/** Commands that change no file which a configuration could include, and so cannot add to it on their way. */
const STEADY = new Set(
  "add blame branch cat-file commit config describe diff diff-files diff-index diff-tree for-each-ref grep log ls-files ls-tree merge-base name-rev remote rev-list rev-parse shortlog show show-ref status symbolic-ref tag var".split(
    " ",
  ),
);
const isSteady = ([command = "", first = ""]: readonly string[]): boolean =>
  STEADY.has(command) || (command === "stash" && ["create", "list", "show", "store"].includes(first));

/** Commands that would show differences through programs of the repository's, and where their options go. */
const PLAINLY = ["--no-ext-diff", "--no-textconv"];
const SHOWING = new Map<string, readonly string[]>([
  ...["diff", "show", "log", "diff-tree", "diff-index", "diff-files"].map((command) => [command, PLAINLY] as const),
  ["blame", ["--no-textconv"]],
  ["grep", ["--no-textconv"]],
]);

/** Paths are no patterns. If another variable makes patterns of them, git ends with an error. */
const LITERALLY = { GIT_LITERAL_PATHSPECS: "1" };

const LIST_TIMEOUT_MS = 10_000;

/** Also under another name. */
export const isGit = (path: string): boolean =>
  [path, realpathSync(path)].some((one) => /^git(\.exe)?$/i.test(basename(one)));

/** The same command, so that it runs no program of the repository's. `quietly`: it lists no local changes. */
function disarmedArguments(args: readonly string[], quietly: boolean): string[] {
  const [command = "", ...rest] = args;
  if (quietly) return [command, "-q", ...rest];
  // Else it starts a `git status` at its end.
  if (command === "stash" && (rest[0] === "pop" || rest[0] === "apply"))
    return ["stash", rest[0], "-q", ...rest.slice(1)];
  if (command === "stash" && rest[0] === "show") {
    // With any option it would leave out the summary that it shows without one.
    const usual = rest.some((arg) => arg.startsWith("-")) ? [] : ["--stat"];
    return ["stash", "show", ...PLAINLY, ...usual, ...rest.slice(1)];
  }
  return [command, ...(SHOWING.get(command) ?? []), ...rest];
}

/**
 * Where a git that runs alone finds the git that it would start in a repository inside this one, for which that repository's
 * configuration stands: one that does nothing and fails, whatever changed since such a repository was looked for.
 */
const ALONE = { GIT_EXEC_PATH: builtForHost("no-git") };

/** An environment for git in which nothing that a repository is configured with runs. `env` is not changed. */
function environment(
  env: NodeJS.ProcessEnv,
  settings: readonly (readonly [string, string])[],
  { transports = "none", isAlone = true }: { transports?: string | undefined; isAlone?: boolean } = {},
): NodeJS.ProcessEnv {
  const disarmed: NodeJS.ProcessEnv = Object.assign(Object.create(null), env, {
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_EDITOR: "false",
    GIT_PAGER: "cat",
    // Above every `protocol.*.allow`.
    GIT_ALLOW_PROTOCOL: transports,
    GIT_CONFIG_COUNT: String(settings.length),
    ...(isAlone ? ALONE : {}),
  });
  for (const [index, [key, value]] of settings.entries()) {
    disarmed[`GIT_CONFIG_KEY_${index}`] = key;
    disarmed[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return disarmed;
}

/** How git is asked about a repository: what a hook says of paths would make others of those that are asked for. */
const forAsking = ({ env, ...options }: ProgramOptions): ProgramOptions => ({
  ...options,
  env: environment(
    Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_\w+_PATHSPECS$/i.test(name))),
    SETTINGS,
  ),
  input: undefined,
  isStill: undefined,
  timeoutMs: LIST_TIMEOUT_MS,
  maxOutputBytes: LIST_BYTES,
});

/** How a command runs. */
interface Manner {
  /** The entry says `gitNetwork`. */
  readonly network: boolean;
  /** Its arguments are paths, and no patterns: what a pattern covers was not looked at. */
  readonly literally: boolean;
  /** Its hook may write files. */
  readonly writes: boolean;
  /** Whether it may write what is at this path. */
  readonly mayWrite: (real: string) => boolean;
  /** The entry has `fullAccess`. */
  readonly full: boolean;
  /** Whose command it is. */
  readonly hook: object;
}

/**
 * Runs a granted git command. The configuration is read first, so that each driver, filter, remote and trailer it names is
 * overridden, and again afterwards: one that changed meanwhile may have named more, and the result is withheld.
 */
export async function runGit(
  path: string,
  args: readonly string[],
  options: ProgramOptions,
  workspaces: readonly string[],
  manner: Manner,
): Promise<ProgramResult> {
  const repository = await repositoryOf(path, args, forAsking(options), workspaces);
  if ("code" in repository) return repository;
  const act = (env: NodeJS.ProcessEnv): Promise<ProgramResult> =>
    runIn(repository, path, args, { ...options, env }, workspaces, manner);
  const isOwn = options.env[INDEX_VARIABLE] !== undefined && !manner.full;
  if (!isOwn && !TAKES_TURN.has(args[0] ?? "")) return act(options.env);
  const key = repository.top ?? repository.variables.GIT_DIR ?? "";
  const over = AbortSignal.any([options.signal, AbortSignal.timeout(Math.ceil(options.timeoutMs))]);
  const given = async (bytes: Buffer | undefined): Promise<Buffer | undefined> => {
    if (manner.full) return bytes;
    // Few hooks have an index of their own.
    const { givenOfOwnIndex } = await import("./exec-git-given.ts");
    const asking = forAsking(options);
    // A reference that `symbolic-ref` makes can have git take another commit for the current one.
    const plainly = { LC_ALL: "C", GIT_NO_REPLACE_OBJECTS: "1" };
    const env = Object.assign(Object.create(null), asking.env, repository.variables, plainly);
    const asks = (asked: readonly string[], maxOutputBytes: number): Promise<ProgramResult> =>
      runProgram(path, asked, { ...asking, env, maxOutputBytes });
    return givenOfOwnIndex(bytes, args[0] ?? "", repository.top, manner.mayWrite, asks);
  };
  const ended = await inTurn(key, manner.hook, over, () => onOwnIndex(options.env, given, act));
  return ended ?? { stdout: "", stderr: "", code: KILLED, killed: true };
}

/**
 * Commands that change the project's files, its branch or what the index names, and those that what the others change could
 * mislead.
 */
const TAKES_TURN = new Set([
  "add",
  "branch",
  "checkout",
  "commit",
  "describe",
  "diff",
  "diff-files",
  "diff-index",
  "stash",
  "status",
  "symbolic-ref",
]);

/** Of a program that was ended. */
const KILLED = 143;

async function runIn(
  { variables, top }: Repository,
  path: string,
  args: readonly string[],
  options: ProgramOptions,
  workspaces: readonly string[],
  { network, literally, writes }: Manner,
): Promise<ProgramResult> {
  const asking = forAsking(options);
  const bare = { ...asking, env: Object.assign(Object.create(null), asking.env, variables) };
  const read = async (): Promise<Configuration | ProgramResult> => {
    const listed = await runProgram(path, ["config", "--list", "--includes", "--show-scope", "-z"], bare);
    if (listed.killed) return listed;
    if (listed.code !== 0) return refused(`git's configuration cannot be read: ${listed.stderr.trim()}`);
    return (
      configurationOf(listed.stdout, await modules()) ?? refused(`git's configuration is too large to be made harmless`)
    );
  };
  // What `.gitmodules` says stands above the settings for all modules, and below those for one by name.
  const modules = async (): Promise<string[]> => {
    const file = resolve(top ?? options.cwd, ".gitmodules");
    const lists = await Promise.all(
      [
        ["--file", file],
        ["--blob", ":.gitmodules"],
        ["--blob", "HEAD:.gitmodules"],
      ].map((scope) => runProgram(path, ["config", ...scope, "--list", "-z"], bare)),
    );
    return lists.flatMap(({ stdout }) => stdout.split("\0")).filter((entry) => entry.startsWith("submodule."));
  };
  const before = await read();
  if ("code" in before) return before;
  const { worktree } = before;
  if (worktree !== undefined && !(top !== undefined && isWithinAny(top, workspaces)))
    return refused(`core.worktree leads outside the project: ${worktree}`);
  if (before.includes && (writes || !isSteady(args)))
    return refused(
      "this repository's configuration includes other files, which the command, or its hook, could change",
    );
  if (before.includesByBranch)
    return refused("this repository's configuration includes another file at a branch, which may change meanwhile");
  // git takes `~` and `%(prefix)` for other folders.
  const leadsOut = before.ignoring.some(
    (file) => /^[~%]/.test(file) || !staysInFolder(A_FILE, [file], top ?? options.cwd),
  );
  if (network && before.leadsElsewhere !== undefined)
    return refused(`this repository's own configuration says how to reach other machines: ${before.leadsElsewhere}`);
  if (namesNoReference(args))
    return refused("git would put a reference in the place of another file of the repository's");
  const asks = (asked: readonly string[], maxOutputBytes: number): Promise<ProgramResult> =>
    runProgram(path, asked, { ...bare, maxOutputBytes });
  const enters = entersInner(args);
  const holds = enters !== undefined && (await holdsInner(args, asks));
  if (holds && enters === "ends")
    return refused("the project holds other repositories, which git would enter with their own configuration");
  const named: typeof NAMED = network ? { ...NAMED, remote: NETWORK_REMOTE } : NAMED;
  const settings = [
    ...SETTINGS,
    ...(network ? NETWORK_SETTINGS : []),
    ...before.names.flatMap(([section, name]) =>
      Object.entries(named[section] ?? {}).map(([key, value]) => [`${section}.${name}.${key}`, value] as const),
    ),
  ];
  const plain = args[0] === "blame" && leadsOut ? ["blame", "--no-ignore-revs-file", ...args.slice(1)] : args;
  const result = await runProgram(path, disarmedArguments(plain, holds), {
    ...options,
    env: Object.assign(
      environment(options.env, settings, {
        transports: network ? TRANSPORTS : undefined,
        isAlone: !network && runsAlone(args),
      }),
      variables,
      literally ? LITERALLY : {},
    ),
  });
  if (!network && /^fatal: transport '.*' not allowed$/m.test(result.stderr)) result.stderr += NO_NETWORK;
  if (options.signal.aborted) return result;
  const after = await read();
  if ("code" in after || (after.hash === before.hash && after.leadsElsewhere === before.leadsElsewhere)) return result;
  return refused("git's configuration changed while the command ran: its result is withheld");
}

/** Stands for a command that reads a file of the project, as far as any may. */
const A_FILE: ExecEntry = { program: "git", args: [{ kind: "relpath" }] };

/** `symbolic-ref` writes any file of the repository's folder that its first name is, such as its configuration. */
export function namesNoReference([command, ...rest]: readonly string[]): boolean {
  if (command !== "symbolic-ref") return false;
  const names: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const arg = rest[at] as string;
    // The reason of the change, which may be any text.
    if (arg === "-m") at++;
    else if (!arg.startsWith("-")) names.push(arg);
  }
  return names.some((name) => name !== "HEAD" && !REFERENCE.test(name));
}

/** As of `git check-ref-format`, which `symbolic-ref` does not ask: with `..` in it a name is a file anywhere. */
const REFERENCE = /^refs(?:\/(?!\.)(?:(?!\.\.|@\{|\.lock(?:\/|$))[^\0-\x20\x7f~^:?*[\\/])+(?<!\.))+$/;
