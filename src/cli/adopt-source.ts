import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import npa from "npm-package-arg";
import { CordonError } from "../base/errors.ts";
import { MAX_TREE_BYTES, MAX_TREE_FILES, refused, TREE_TOO_LARGE } from "../market/archive.ts";
import type { Target } from "../market/install.ts";
import { packageOf } from "../market/package.ts";
import { type Source, sourceOf, versionSpec } from "../market/source.ts";
import { type Staged, stage, unstage } from "../market/stage.ts";
import { filesOf, type TreeFile, treeIntegrity } from "../market/tree.ts";
import { withStaged } from "./fetch-package.ts";

/** Dependencies are fetched anew, whatever an agent's package manager made of them. */
const DEPENDENCIES = "node_modules";
const isOfPackage = ({ path }: TreeFile): boolean => !path.split("/").includes(DEPENDENCIES);

/**
 * Stages code that an agent has on this disk, runs nothing of it, and removes it from quarantine when `act` is done. A package
 * that the agent has from a registry is taken from there if the registry has the same bytes under its name and version: its
 * integrity was verified then. Else the bytes on disk are taken, and their origin is `path:`.
 *
 * @param name as the agent's settings have it
 */
export async function withCode<T>(
  name: string,
  path: string,
  target: Target,
  act: (staged: Staged) => Promise<T>,
): Promise<T> {
  refuseHuge(path);
  const registered = name.startsWith("npm:") ? await sameInRegistry(name.slice(4).trim(), path, target) : undefined;
  return withStaged(registered ?? (await stage(sourceOf(path, "/"), target)), act);
}

/** The package of a registry, if it has the same files as the one on disk. */
async function sameInRegistry(given: string, path: string, target: Target): Promise<Staged | undefined> {
  const { name, raw } = npa(given);
  const json = packageOf(path);
  if (json.name !== name) return undefined;
  const source: Source = { kind: "registry", spec: versionSpec(json.name, json.version), origin: `npm:${raw}` };
  let staged: Staged | undefined;
  try {
    staged = await stage(source, target);
    const [theirs, ours] = [staged.files.filter(isOfPackage), filesOf(path, DEPENDENCIES)];
    if (treeIntegrity(theirs) === treeIntegrity(ours)) return staged;
  } catch (error) {
    // It is in no registry, or none can be reached, or it has links: the bytes on disk are tried.
    if (!(error instanceof CordonError)) throw error;
  }
  if (staged) unstage(staged);
  return undefined;
}

/** Throws for more than a package may have, before any of it is read or packed. */
function refuseHuge(path: string): void {
  let [files, bytes] = [0, 0];
  const walk = (one: string): void => {
    const status = lstatSync(one);
    if (status.isDirectory()) {
      for (const name of readdirSync(one)) if (name !== DEPENDENCIES && name !== ".git") walk(join(one, name));
      return;
    }
    files++;
    bytes += status.size;
    if (files > MAX_TREE_FILES || bytes > MAX_TREE_BYTES) throw refused(TREE_TOO_LARGE);
  };
  walk(realpathSync(path));
}
