import { chmodSync, existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { BundleCache } from "../bundle/cache.ts";
import { removeDrafts } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { withPatientLock } from "../disk/lock-file.ts";
import { makeFolders } from "../disk/make-folders.ts";
import { ownerName, whereabouts } from "../disk/process-owner.ts";
import { quarantine, quarantineFolder } from "../disk/quarantine.ts";
import { lockPath, packageFolder, packageOf } from "../store/hooks-lock.ts";
import { readInstalled } from "../store/journal.ts";
import { makeWritable } from "./tree.ts";

/** Removes a folder in quarantine, and what was moved aside for it. */
export function discard(folder: string): void {
  for (const one of [folder, join(dirname(folder), "before")]) if (existsSync(one)) makeWritable(one);
  rmSync(dirname(folder), { recursive: true, force: true });
}

/** The name of a folder in quarantine starts with the name of the process that made it. */
const ownerOf = (name: string): string => name.replace(/\.[^.]*$/, "");

/** A folder of a process elsewhere counts as left behind when it was not touched for this long. */
const LEFT_MS = 24 * 60 * 60 * 1000;

function isLeft(home: string, name: string): boolean {
  const where = whereabouts(ownerOf(name));
  if (where === "running") return false;
  const status = lstatSync(join(quarantine(home), name), { throwIfNoEntry: false });
  return where !== "elsewhere" || (status !== undefined && Date.now() - status.mtimeMs > LEFT_MS);
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const inQuarantine = (home: string): string[] => namesIn(quarantine(home));

/** Removes what killed processes left behind. */
export function clearQuarantine(home: string): void {
  for (const name of inQuarantine(home)) if (isLeft(home, name)) discard(join(quarantine(home), name, "package"));
}

/** A read-only folder cannot be moved, since its entry for its parent changes. */
export function move(from: string, to: string): void {
  if (lstatSync(from).isDirectory()) chmodSync(from, 0o755);
  renameSync(from, to);
}

/**
 * Removes the files of packages that no installed hook needs, unless another process is about to install a package: that
 * process will. The bundles of the version before stay: sessions that had it begun may have to start its hooks again.
 *
 * @param refused folder of a package that was not installed after all: it is no version before
 */
export function collectGarbage(home: string, refused?: string): void {
  clearQuarantine(home);
  for (const folder of [home, inHome(home, "bundles"), join(inHome(home, "bundles"), "sources")]) removeDrafts(folder);
  const folder = inHome(home, "installed");
  const away = join(quarantineFolder(home), "package");
  const moved = withPatientLock(lockPath(home), (held) => {
    if (inQuarantine(home).some((name) => ownerOf(name) !== ownerName())) return [];
    const needed = new Set([...readInstalled(home).values()].map((one) => packageFolder(home, one)));
    const unneeded = namesIn(folder).filter((name) => !needed.has(join(folder, name)));
    if (unneeded.length > 0) makeFolders(away);
    held();
    for (const name of unneeded) move(join(folder, name), join(away, name));
    if (refused !== undefined && !needed.has(refused)) new BundleCache(home).forget(refused);
    forgetBundles(home, folder, new Set([...needed].map((path) => basename(path))));
    return unneeded;
  });
  if (moved.length > 0) discard(away);
}

/**
 * Removes the bundles of packages that are not needed, but for the newest of each package that is.
 *
 * @param needed names of folders in `folder`
 */
function forgetBundles(home: string, folder: string, needed: ReadonlySet<string>): void {
  const cache = new BundleCache(home);
  const built = new Set(cache.builtIn(folder).map((root) => relative(folder, root).split(sep)[0]));
  const before = new Set<string>();
  const packages = new Set([...needed].map(packageOf));
  for (const name of built) {
    if (!name || needed.has(name)) continue;
    const owner = packageOf(name);
    if (packages.has(owner) && !before.has(owner)) before.add(owner);
    else cache.forget(join(folder, name));
  }
}
