import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { CordonError } from "../base/errors.ts";
import { buildHook } from "../bundle/build.ts";
import { builderOf, bundleHash } from "../bundle/builder.ts";
import { BundleCache } from "../bundle/cache.ts";
import { digestOf } from "../bundle/digest.ts";
import { removeDrafts } from "../disk/atomic-file.ts";
import { PATIENT_MS, withLock } from "../disk/lock-file.ts";
import { ownerName, whereabouts } from "../disk/process-owner.ts";
import { ownPlace, quarantine } from "../disk/quarantine.ts";
import { renamePaths } from "../disk/rename-paths.ts";
import { findManifest, type Manifest } from "../grants/manifest.ts";
import type { Capabilities } from "../grants/schema.ts";
import { lockPath, packageFolder } from "../store/hooks-lock.ts";
import { readInstalled } from "../store/journal.ts";
import { type Fetched, type Fetching, fetchPackage, type Pinned } from "./fetch.ts";
import { hooksIn } from "./package.ts";
import type { NpmOptions } from "./registry.ts";
import type { Source } from "./source.ts";
import { filesOf, makeReadOnly, makeWritable, type TreeFile, treeIntegrity } from "./tree.ts";

/** One hook of a package that is looked at. */
export interface StagedHook {
  id: string;
  file: string;
  manifest: Manifest | undefined;
  digest: string;
  /** {@link bundleHash} of what was built of it, and what built it. */
  sha256: string;
  builder: string;
  /** Modules that Cordon provides to it. */
  imports: readonly string[];
  /** Powers that its code seems to use. */
  uses: readonly string[];
  /** Events that it has handlers for; left out until it was rehearsed. */
  hears?: readonly string[];
}

/** Puts a hook's bundle into the cache of a home, under the digest that a person decided on. */
export type KeepBundle = (home: string) => void;

/** Builds a hook that a person is about to decide on. */
export async function buildStaged(
  node: string,
  root: string,
  id: string,
  file: string,
): Promise<[StagedHook, KeepBundle]> {
  const { manifest, text } = findManifest(join(root, file));
  const built = await buildHook(node, { root, entry: file });
  const { imports, uses } = built;
  const digest = digestOf(built.files, file, text);
  return [
    { id, file, manifest, digest, sha256: bundleHash(built.code, root), builder: builderOf(built), imports, uses },
    (home) => void new BundleCache(home).keep(root, file, text, built),
  ];
}

/** The powers that it asks for at once. */
export const asked = ({ manifest }: StagedHook): Capabilities => manifest?.capabilities ?? {};

/** What it may be granted later, when it uses it first. */
export const mayAsk = ({ manifest }: StagedHook): Capabilities => manifest?.optional ?? {};

/** A package in quarantine: fetched, built and hashed, read-only, and nothing of it has run. */
export interface Staged {
  source: Source;
  fetched: Fetched;
  hooks: StagedHook[];
  /** Parts of a pi package that are no hooks. */
  unsupported: string[];
  files: TreeFile[];
}

/** Where packages are looked at. `node`: absolute path of the Node that builds run on. */
export interface Staging {
  home: string;
  node: string;
  npm: NpmOptions;
  progress: (step: string) => void;
}

/** A folder in quarantine for what this process fetches. */
function enter({ home, npm }: Staging): { folder: string; fetching: Fetching } {
  clearQuarantine(home);
  const folder = join(ownPlace(home), "package");
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const state = join(home, "cache");
  return { folder, fetching: { npm, cache: npmCache(home), state } };
}

const caches = new Map<string, string>();

/**
 * npm's cache for this process. What a person removes must not lie there for ever, and an answer of a registry that is
 * kept hides a newer one. It goes when nothing writes to it any more: a fetch that was given up does for a while.
 */
function npmCache(home: string): string {
  const known = caches.get(home);
  if (known !== undefined) return known;
  const place = ownPlace(home);
  caches.set(home, place);
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  return place;
}

/** Asks a source something without fetching a package of it. */
export async function ask<T>(deps: Staging, question: (fetching: Fetching) => Promise<T>): Promise<T> {
  const { folder, fetching } = enter(deps);
  try {
    return await question(fetching);
  } finally {
    discard(folder);
  }
}

/**
 * Fetches a package into quarantine and builds its hooks there. Rejects with the code of what is wrong, and leaves nothing
 * behind then.
 *
 * @param pinned exactly this version with these dependencies
 */
export async function stage(source: Source, deps: Staging, pinned?: Pinned): Promise<Staged> {
  const { node, progress } = deps;
  const { folder, fetching } = enter(deps);
  try {
    progress(`fetching ${source.spec}`);
    const fetched = await fetchPackage(source, folder, fetching, pinned);
    const files = filesOf(folder);
    makeReadOnly(folder);
    const { hooks: offered, unsupported } = hooksIn(folder, fetched.name);
    const hooks: StagedHook[] = [];
    for (const { id, file } of offered) {
      progress(`building ${id}`);
      const [hook] = await buildStaged(node, folder, id, file);
      hooks.push(hook);
    }
    return { source, fetched, hooks, unsupported, files };
  } catch (error) {
    discard(folder);
    throw error instanceof CordonError
      ? new CordonError(error.code, renamePaths(error.message, [[folder, ownFolder(source)]]))
      : error;
  }
}

/** Where a package lies in quarantine, and what a person calls that. */
export const rootOf = ({ source, fetched }: Staged): { folder: string; own: string } => ({
  folder: fetched.folder,
  own: ownFolder(source),
});

/** Where they have it from. */
const ownFolder = ({ kind, spec, origin }: Source): string =>
  kind === "folder" ? spec : kind === "file" ? dirname(spec) : origin;

/** Takes a package out of quarantine. */
export function unstage({ fetched }: Staged): void {
  discard(fetched.folder);
}

function discard(folder: string): void {
  for (const place of [folder, join(dirname(folder), "before")]) if (existsSync(place)) makeWritable(place);
  rmSync(dirname(folder), { recursive: true, force: true });
}

/** The process that fetches a package starts the name of its folder. */
const ownerOf = (name: string): string => name.replace(/\.[^.]*$/, "");

/** What a process elsewhere has not touched for so long is left of one, as far as there is no lock on it. */
const LEFT_MS = 24 * 60 * 60 * 1000;

function isLeft(home: string, name: string): boolean {
  const where = whereabouts(ownerOf(name));
  if (where === "running") return false;
  const status = lstatSync(join(quarantine(home), name), { throwIfNoEntry: false });
  return where !== "elsewhere" || (status !== undefined && Date.now() - status.mtimeMs > LEFT_MS);
}

const inQuarantine = (home: string): string[] => (existsSync(quarantine(home)) ? readdirSync(quarantine(home)) : []);

/** Takes away what a process left that was killed. */
function clearQuarantine(home: string): void {
  for (const name of inQuarantine(home)) if (isLeft(home, name)) discard(join(quarantine(home), name, "package"));
}

/**
 * Puts a package where installed ones are. It is there whole, or not at all. What takes long is done before and after the
 * lock is held: others wait for it.
 */
export function moveIntoStore({ fetched, files }: Staged, home: string): void {
  const place = installedPlaceOf(fetched, home);
  if (holds(place, files)) return;
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  withLock(
    lockPath(home),
    (held) => {
      held();
      // Other files under the same name and hashes: edited since.
      if (lstatSync(place, { throwIfNoEntry: false })) move(place, join(dirname(fetched.folder), "before"));
      move(fetched.folder, place);
    },
    PATIENT_MS,
  );
  makeReadOnly(place);
}

/** A folder that cannot be written cannot be moved: its entry for its parent changes. */
function move(from: string, to: string): void {
  if (lstatSync(from).isDirectory()) chmodSync(from, 0o755);
  renameSync(from, to);
}

function holds(place: string, files: readonly TreeFile[]): boolean {
  try {
    return !lstatSync(place).isSymbolicLink() && treeIntegrity(filesOf(place)) === treeIntegrity(files);
  } catch {
    return false;
  }
}

/**
 * Removes the files of packages that nothing installed needs any more, unless another process is about to install some:
 * that one will.
 */
export function collectGarbage(home: string): void {
  clearQuarantine(home);
  for (const folder of [home, join(home, "bundles"), join(home, "bundles", "sources")]) removeDrafts(folder);
  const folder = join(home, "installed");
  const away = join(ownPlace(home), "package");
  const moved = withLock(
    lockPath(home),
    (held) => {
      if (inQuarantine(home).some((name) => ownerOf(name) !== ownerName())) return [];
      const needed = new Set([...readInstalled(home).values()].map((one) => packageFolder(home, one)));
      const unneeded = (existsSync(folder) ? readdirSync(folder) : []).filter(
        (name) => !needed.has(join(folder, name)),
      );
      if (unneeded.length > 0) mkdirSync(away, { recursive: true, mode: 0o700 });
      held();
      for (const name of unneeded) move(join(folder, name), join(away, name));
      return unneeded;
    },
    PATIENT_MS,
  );
  if (moved.length > 0) discard(away);
  for (const name of moved) new BundleCache(home).forget(join(folder, name));
}

const installedPlaceOf = ({ name, ...fetched }: Fetched, home: string): string =>
  packageFolder(home, { ...fetched, package: name });

/**
 * Keeps the accepted bytes, so that the hook goes on guarding whatever becomes of its files. Rejects with
 * `DIGEST_MISMATCH` if what is built in its place is not what was looked at.
 */
export async function keepBundles(staged: Staged, home: string, node: string): Promise<void> {
  const root = installedPlaceOf(staged.fetched, home);
  for (const { id, file, digest, sha256 } of staged.hooks) {
    const [hook, keep] = await buildStaged(node, root, id, file);
    if (hook.digest !== digest || hook.sha256 !== sha256)
      throw new CordonError("DIGEST_MISMATCH", `${id} is built otherwise in its place than where it was looked at`);
    keep(home);
  }
}
