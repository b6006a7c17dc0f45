import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ArboristNode } from "@npmcli/arborist";
import npa from "npm-package-arg";
import { attemptOr } from "../base/attempt.ts";
import { CordonError } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { makeFolders } from "../disk/make-folders.ts";
import { type Dependencies, type Dependency, LOCATION } from "../store/pins.ts";
import { Budget, refused } from "./archive.ts";
import { fetchTarball } from "./download.ts";
import { packageOf } from "./package.ts";
import { type NpmOptions, registryOf } from "./registry.ts";
import { versionSpec } from "./source.ts";

/** Packages that Cordon provides itself. They are not fetched, among them agents that a hook depends on. */
const PROVIDED =
  /^(@(mariozechner|earendil-works)\/pi-[a-z-]+|@strands-agents\/sdk|openclaw|cordon|typebox|@sinclair\/typebox)$/;

/** Real hooks have some dozens. */
const MAX_DEPENDENCIES = 1000;
const AT_ONCE = 8;

/**
 * Fetches the dependencies of a package into its folder, and returns them. npm's Arborist only chooses versions and
 * locations: no script runs, and no link is made. Development and peer dependencies are left out, and so is native code for
 * one platform. Rejects with `LOAD_FAILED` or `INTEGRITY_MISMATCH`.
 *
 * @param pinned fetch exactly these, and not what a registry has now
 */
export async function addDependencies(
  folder: string,
  options: NpmOptions,
  pinned?: Dependencies,
): Promise<Dependencies> {
  const wanted: Wanted[] = pinned
    ? Object.entries(pinned).map(([location, dependency]) => ({ location, ...dependency }))
    : await choose(folder, options);
  if (wanted.length > MAX_DEPENDENCIES) throw refused(`more than ${MAX_DEPENDENCIES} dependencies`);
  if (wanted.length > 0) rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  const budget = new Budget();
  const fetched: [string, Dependency][] = [];
  const fetch = async ({ location, name, version, registry: _before, ...pins }: Wanted): Promise<void> => {
    const spec = versionSpec(name, version);
    const target = join(folder, location);
    // The archive above may contain a package of its own at this location.
    rmSync(target, { recursive: true, force: true });
    const fetching = fetchTarball(spec, target, { ...options, ...pins }, budget);
    const integrity = await fetching.catch((error) => {
      if (!(error instanceof CordonError)) throw error;
      throw new CordonError(error.code, `${error.message} (in its dependency ${cleanLine(spec, 300)})`);
    });
    fetched.push([location, { name, version, integrity, registry: registryOf(name, options) }]);
  };
  // A package is unpacked before those that lie in its folder.
  const levels = Map.groupBy(wanted, ({ location }) => location.split("node_modules/").length);
  for (const [, level] of [...levels].sort(([a], [b]) => a - b)) {
    const queue = [...level];
    const work = async (): Promise<void> => {
      try {
        for (let next = queue.shift(); next; next = queue.shift()) await fetch(next);
      } finally {
        queue.length = 0;
      }
    };
    // All workers must have ended when this rejects: the folder is removed then.
    const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    for (const one of done) if (one.status === "rejected") throw one.reason;
  }
  return Object.fromEntries(fetched.sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Wanted = Pick<Dependency, "name" | "version"> & Partial<Dependency> & { location: string; resolved?: string };

async function choose(folder: string, options: NpmOptions): Promise<Wanted[]> {
  const { dependencies = {} } = packageOf(folder);
  const asked = Object.entries(dependencies).filter(([name]) => !PROVIDED.test(name));
  if (asked.length === 0) return [];
  refuseImpossible(dependencies);
  // In a folder of its own: the package's other settings for npm (workspaces, overrides, a lock) must not count.
  const draft = `${folder}.dependencies`;
  makeFolders(draft);
  try {
    const json = { name: "cordon-dependencies", version: "0.0.0", dependencies: Object.fromEntries(asked) };
    writeFileSync(join(draft, "package.json"), JSON.stringify(json));
    // Imported here only: this is half of the time that a command takes to start.
    const { default: Arborist } = await import("@npmcli/arborist");
    const arborist = new Arborist({
      ...options,
      path: draft,
      ignoreScripts: true,
      // From a registry only: a path or a private repository would put into the hook what only this person can read.
      allowFile: "none",
      allowDirectory: "none",
      allowGit: "none",
      allowRemote: "none",
      legacyPeerDeps: true,
      audit: false,
      fund: false,
    });
    const tree = await arborist.buildIdealTree().catch((error: { code?: string; package?: string }) => {
      if (!error.code?.startsWith("EALLOW")) throw error;
      throw fromElsewhere(error.package ?? "");
    });
    return [...tree.inventory.values()].filter((node) => !node.isRoot && !node.inert && !isNative(node)).map(wantedOf);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Throws `LOAD_FAILED` for a dependency of a package that npm's libraries fail at without naming it, by its name or its version. */
export function refuseImpossible(dependencies: Readonly<Record<string, string>> = {}): void {
  for (const [name, range] of Object.entries(dependencies)) {
    const shown = `its dependency ${cleanLine(JSON.stringify(name), 300)}`;
    if (attemptOr(() => versionSpec(name, "1.0.0"), undefined) === undefined)
      throw refused(`${shown} has a name that no package can have`);
    // As workspace:* and catalog: of some package managers.
    if (!PROVIDED.test(name) && attemptOr(() => npa(`${name}@${range}`, "/"), undefined) === undefined)
      throw refused(
        `${shown} has ${cleanLine(JSON.stringify(range), 300)} for a version, which npm cannot read: where its own package manager can, pack it with that, and add the tarball`,
      );
  }
}

/** Code for one platform is no JavaScript. */
const isNative = ({ optional, package: json }: ArboristNode): boolean =>
  optional && (json.os ?? json.cpu ?? json.libc) !== undefined;

const fromElsewhere = (dependency: string): CordonError =>
  refused(`its dependency ${cleanLine(dependency, 300)} is from no registry, and others are not fetched`);

function wantedOf({ location, packageName, version, integrity, resolved, isLink, errors }: ArboristNode): Wanted {
  const [error] = errors;
  if (error)
    throw refused(
      `its dependency ${cleanLine(packageName ?? location, 300)} cannot be fetched (${cleanLine(error.code ?? error.message, 300)})`,
    );
  if (isLink || !resolved || !/^https?:/.test(resolved) || !new RegExp(LOCATION).test(location))
    throw fromElsewhere(location);
  return { location, name: packageName, version, resolved, ...(integrity ? { integrity } : {}) };
}
