import { lstatSync, rmSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { CordonError } from "../base/errors.ts";
import { buildHook } from "../bundle/build.ts";
import { builderOf, bundleHash } from "../bundle/builder.ts";
import { BundleCache } from "../bundle/cache.ts";
import { digestOf } from "../bundle/digest.ts";
import { settingsOf } from "../bundle/plugin-settings.ts";
import { inHome } from "../disk/home.ts";
import { withPatientLock } from "../disk/lock-file.ts";
import { makeFolders } from "../disk/make-folders.ts";
import { quarantineFolder } from "../disk/quarantine.ts";
import { renamePaths } from "../disk/rename-paths.ts";
import { offeredTo } from "../grants/chosen.ts";
import { widerLimits } from "../grants/limits.ts";
import { findManifest, type Manifest } from "../grants/manifest.ts";
import type { Asks, Capabilities } from "../grants/schema.ts";
import { isInside } from "../runtime/find-program.ts";
import { type LockEntry, lockPath, packageFolder } from "../store/hooks-lock.ts";
import type { Fetched, Fetching, Pinned } from "./fetch.ts";
import { clearQuarantine, discard, move } from "./garbage.ts";
import { hooksIn } from "./package.ts";
import type { NpmOptions } from "./registry.ts";
import type { Source } from "./source.ts";
import { filesOf, makeReadOnly, type TreeFile, treeIntegrity } from "./tree.ts";

/** A hook that was built, and that nobody decided about yet. */
export interface StagedHook {
  id: string;
  file: string;
  manifest: Manifest | undefined;
  digest: string;
  /** {@link bundleHash} of its bundle, and what built it. */
  sha256: string;
  builder: string;
  /** Powers that its code seems to use. */
  uses: readonly string[];
  /** What its bundle uses and no hook can have. */
  lacks: readonly string[];
  /** Names of what a person can set of a plugin. */
  settings: readonly string[];
  /** Its bundle depends on which files are in its packages. */
  carries: boolean;
  /** Events that it has handlers for; left out until it is rehearsed. */
  hears?: readonly string[];
}

/** Keeps the bundle of a hook in the cache of a home, under the digest that a person decided on. */
export type KeepBundle = (home: string) => void;

/** Builds a hook for a person to decide on. `packed`: as in a `BuildRequest`. */
export async function buildStaged(
  node: string,
  root: string,
  id: string,
  file: string,
  packed: boolean,
): Promise<[StagedHook, KeepBundle]> {
  const path = join(root, file);
  const found = findManifest(path);
  const { manifest, text } = found;
  // A package within the package, by which the hook is loaded, too.
  const own = isInside(found.root, root) ? found.root : root;
  const entry = relative(own, path);
  const built = await buildHook(node, { root: own, entry, packed });
  const digest = digestOf(built.files, entry, text);
  const sha256 = bundleHash(built, own);
  return [
    {
      ...{ id, file, manifest, digest, sha256 },
      ...{
        builder: builderOf(built),
        uses: built.uses,
        lacks: built.lacks,
        settings: settingsOf(built),
        carries: built.carries !== undefined,
      },
    },
    (home) => void new BundleCache(home).keep(own, entry, text, packed, built),
  ];
}

/** The powers and limits that a hook asks for when it is installed. */
export function asked({ manifest }: StagedHook): Asks {
  const limits = widerLimits(manifest?.limits);
  return { ...manifest?.capabilities, ...(limits ? { limits } : {}) };
}

/** The powers and limits that a person may give it when they accept it. */
export const offered = (hook: StagedHook): Asks => offeredTo(asked(hook), hook.manifest?.capabilities !== undefined);

/** The powers that it may ask for later, when it first uses them. */
export const mayAsk = ({ manifest }: StagedHook): Capabilities => manifest?.optional ?? {};

/** A package in quarantine: fetched, built, hashed and read-only. Nothing of it has run. */
export interface Staged {
  source: Source;
  fetched: Fetched;
  hooks: StagedHook[];
  /** Parts of a pi package that are no hooks. */
  unsupported: string[];
  files: TreeFile[];
}

/** What fetches and builds packages. `node`: absolute path of the Node that builds run on. */
export interface Staging {
  home: string;
  node: string;
  npm: NpmOptions;
  progress: (step: string) => void;
}

/** Prepares a folder in quarantine for what this process fetches. */
function enter({ home, npm }: Staging): { folder: string; fetching: Fetching } {
  clearQuarantine(home);
  const folder = join(quarantineFolder(home), "package");
  makeFolders(dirname(folder));
  return { folder, fetching: { npm, cache: npmCache(home), state: inHome(home, "cache") } };
}

/** By home. */
const caches = new Map<string, string>();

function removeCaches(): void {
  for (const cache of caches.values()) attemptOr(() => rmSync(cache, { recursive: true, force: true }), undefined);
}

/**
 * npm's cache for this process only. A kept one would hold packages that a person removed, and old answers of registries.
 * It is removed when the process exits: an abandoned fetch writes to it for a while.
 */
function npmCache(home: string): string {
  const known = caches.get(home);
  if (known !== undefined) return known;
  const cache = quarantineFolder(home);
  if (caches.size === 0) process.once("exit", removeCaches);
  caches.set(home, cache);
  return cache;
}

/** Asks a source a question without fetching its package. */
export async function ask<T>(deps: Staging, question: (fetching: Fetching) => Promise<T>): Promise<T> {
  const { folder, fetching } = enter(deps);
  try {
    return await question(fetching);
  } finally {
    discard(folder);
  }
}

/**
 * Fetches a package into quarantine and builds its hooks there. If it rejects, it leaves nothing behind.
 *
 * @param pinned fetch exactly this version with these dependencies
 */
export async function stage(source: Source, deps: Staging, pinned?: Pinned): Promise<Staged> {
  const { node, progress } = deps;
  const { folder, fetching } = enter(deps);
  try {
    progress(`fetching ${source.spec}`);
    // npm's libraries take 100 ms to load, and most commands fetch nothing.
    const { fetchPackage } = await import("./fetch.ts");
    const fetched = await fetchPackage(source, folder, fetching, pinned);
    const files = filesOf(folder);
    makeReadOnly(folder);
    const { hooks: offered, unsupported } = hooksIn(folder, fetched.name);
    const hooks = await Array.fromAsync(offered, async ({ id, file }) => {
      progress(`building ${id}`);
      // What was proposed before bundles carried files is built as it was.
      const [hook] = await buildStaged(node, folder, id, file, pinned === undefined || pinned.carries === true);
      return hook;
    });
    return { source, fetched, hooks, unsupported, files };
  } catch (error) {
    discard(folder);
    throw error instanceof CordonError
      ? new CordonError(
          error.code,
          renamePaths(error.message + lackingText(error.message, source), [[folder, ownFolder(source)]]),
        )
      : error;
  }
}

/** Why a package lacks a module of its own, which its author has. */
function lackingText(message: string, { kind }: Source): string {
  if (!/Could not resolve "\.{1,2}\//.test(message)) return "";
  if (kind === "file") return "; a file is added alone: add its folder, with a package.json that names the hook";
  if (kind === "folder" || kind === "git")
    return '; npm publishes no such file of this package: see "files" in its package.json, and cordon check';
  return "; its author published no such file";
}

/**
 * Gives hooks the ids that they were installed by. A package whose number of hooks changes between one and more names them
 * otherwise, and a hook of the same file is the same hook.
 */
export function keepIds(
  { hooks, fetched }: Staged,
  installed: Iterable<readonly [id: string, entry: LockEntry]>,
): void {
  for (const [id, { package: name, file }] of installed) {
    // A package that names its own folder had files such as ./gate.ts.
    const own = posix.normalize(file);
    const hook = hooks.find((one) => one.file === own);
    const isOwn = id === name || (id.startsWith(`${name}#`) && posix.normalize(id.slice(name.length + 1)) === own);
    if (hook && name === fetched.name && isOwn) hook.id = id;
  }
}

/** The folder of a package in quarantine, and the name that a person knows it by. */
export const rootOf = ({ source, fetched }: Staged): { folder: string; own: string } => ({
  folder: fetched.folder,
  own: ownFolder(source),
});

/** The name that a person knows the folder of a package by: where they got it from. */
const ownFolder = ({ kind, spec, origin }: Source): string =>
  kind === "folder" ? spec : kind === "file" ? dirname(spec) : origin;

/** Removes a package from quarantine. */
export const unstage = ({ fetched }: Staged): void => discard(fetched.folder);

/**
 * Moves a package from quarantine to where installed packages are, as a whole. Slow steps are done before and after the
 * lock is held: others wait for it.
 */
export function moveIntoStore({ fetched, files }: Staged, home: string): void {
  const target = installedFolderOf(fetched, home);
  if (holds(target, files)) return;
  makeFolders(dirname(target));
  withPatientLock(lockPath(home), (held) => {
    held();
    // The folder for these hashes holds other files: it was edited.
    if (lstatSync(target, { throwIfNoEntry: false })) move(target, join(dirname(fetched.folder), "before"));
    move(fetched.folder, target);
  });
  makeReadOnly(target);
}

function holds(folder: string, files: readonly TreeFile[]): boolean {
  try {
    return !lstatSync(folder).isSymbolicLink() && treeIntegrity(filesOf(folder)) === treeIntegrity(files);
  } catch {
    return false;
  }
}

/** Where a fetched package is when it is installed. */
export const installedFolderOf = ({ name, ...fetched }: Fetched, home: string): string =>
  packageFolder(home, { ...fetched, package: name });

/**
 * Keeps the accepted bundles, so that a hook goes on guarding whatever happens to its files. Rejects with `DIGEST_MISMATCH`
 * if the installed files do not build to what was built in quarantine.
 */
export async function keepBundles(staged: Staged, home: string, node: string): Promise<void> {
  const root = installedFolderOf(staged.fetched, home);
  for (const { id, file, digest, sha256, carries } of staged.hooks) {
    const [hook, keep] = await buildStaged(node, root, id, file, carries);
    if (hook.digest !== digest || hook.sha256 !== sha256)
      throw new CordonError(
        "DIGEST_MISMATCH",
        `${id} builds differently where it is installed than it did in quarantine`,
      );
    keep(home);
  }
}
