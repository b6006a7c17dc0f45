import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ArboristNode } from "@npmcli/arborist";
import { CordonError } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { type Dependencies, type Dependency, LOCATION } from "../store/pins.ts";
import { Budget } from "./archive.ts";
import { fetchTarball } from "./download.ts";
import { packageOf } from "./package.ts";
import { type NpmOptions, registryOf } from "./registry.ts";
import { versionSpec } from "./source.ts";

/** Packages that Cordon provides itself: an agent among a hook's dependencies is not fetched. */
const PROVIDED =
  /^(@(mariozechner|earendil-works)\/pi-[a-z-]+|@strands-agents\/sdk|openclaw|cordon|typebox|@sinclair\/typebox)$/;

/** Real hooks have some dozens. */
const MAX_DEPENDENCIES = 1000;
const AT_ONCE = 8;

/**
 * Puts the dependencies of a package beside it, and says which they are. npm's Arborist chooses versions and places, and
 * nothing else of it runs: no script, no link. What is for development, for others to bring, or native code for one
 * platform, is left out. Rejects with `LOAD_FAILED` or `INTEGRITY_MISMATCH`.
 *
 * @param pinned exactly these, in the place of what a registry has now
 */
export async function addDependencies(
  folder: string,
  options: NpmOptions,
  pinned?: Dependencies,
): Promise<Dependencies> {
  const wanted = pinned ? pinnedOnes(pinned) : await choose(folder, options);
  if (wanted.length > MAX_DEPENDENCIES)
    throw new CordonError("LOAD_FAILED", `the package is refused: more than ${MAX_DEPENDENCIES} dependencies`);
  if (wanted.length > 0) rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  const budget = new Budget();
  const fetched: [string, Dependency][] = [];
  const fetch = async ({ location, name, version, registry: _before, ...pins }: Wanted): Promise<void> => {
    const spec = versionSpec(name, version);
    const place = join(folder, location);
    // An archive may bring packages of its own, where this one was chosen for.
    rmSync(place, { recursive: true, force: true });
    const fetching = fetchTarball(spec, place, { ...options, ...pins }, budget);
    const integrity = await fetching.catch((error) => {
      if (!(error instanceof CordonError)) throw error;
      throw new CordonError(error.code, `${error.message} (in its dependency ${cleanLine(spec, 300)})`);
    });
    fetched.push([location, { name, version, integrity, registry: registryOf(name, options) }]);
  };
  // A package is unpacked before those that lie in its folder.
  for (const level of byDepth(wanted)) {
    const queue = [...level];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) await fetch(next);
    };
    const stop = (error: unknown): never => {
      queue.length = 0;
      throw error;
    };
    // Nobody writes any more when this fails: the folder is removed then.
    const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => work().catch(stop)));
    for (const one of done) if (one.status === "rejected") throw one.reason;
  }
  return Object.fromEntries(fetched.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function byDepth(wanted: readonly Wanted[]): Wanted[][] {
  const levels = Map.groupBy(wanted, ({ location }) => location.split("node_modules/").length);
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
}

interface Wanted {
  location: string;
  name: string;
  version: string;
  integrity?: string;
  resolved?: string;
  registry?: string | undefined;
}

const pinnedOnes = (pinned: Dependencies): Wanted[] =>
  Object.entries(pinned).map(([location, dependency]) => ({ location, ...dependency }));

async function choose(folder: string, options: NpmOptions): Promise<Wanted[]> {
  const { dependencies = {} } = packageOf(folder);
  const asked = Object.entries(dependencies).filter(([name]) => !PROVIDED.test(name));
  if (asked.length === 0) return [];
  // In a folder of their own: the package's other settings for npm (workspaces, overrides, a lock) have no say.
  const place = `${folder}.dependencies`;
  mkdirSync(place, { recursive: true, mode: 0o700 });
  try {
    const json = { name: "cordon-dependencies", version: "0.0.0", dependencies: Object.fromEntries(asked) };
    writeFileSync(join(place, "package.json"), JSON.stringify(json));
    // Half of the time that a command takes to start, and only needed here.
    const { default: Arborist } = await import("@npmcli/arborist");
    const arborist = new Arborist({
      ...options,
      path: place,
      ignoreScripts: true,
      // From a registry only: a path or a private repository would carry what this person can read into the hook.
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
    rmSync(place, { recursive: true, force: true });
  }
}

/** Code for one platform is no JavaScript. */
const isNative = ({ optional, package: json }: ArboristNode): boolean =>
  optional && (json.os ?? json.cpu ?? json.libc) !== undefined;

const fromElsewhere = (dependency: string): CordonError =>
  new CordonError(
    "LOAD_FAILED",
    `the package is refused: its dependency ${cleanLine(dependency, 300)} is from no registry, and others are not fetched`,
  );

function wantedOf({ location, packageName, version, integrity, resolved, isLink, errors }: ArboristNode): Wanted {
  const [error] = errors;
  if (error)
    throw new CordonError(
      "LOAD_FAILED",
      `the package is refused: its dependency ${cleanLine(packageName ?? location, 300)} cannot be fetched (${cleanLine(error.code ?? error.message, 300)})`,
    );
  if (isLink || !resolved || !/^https?:/.test(resolved) || !new RegExp(LOCATION).test(location))
    throw fromElsewhere(location);
  return { location, name: packageName, version, resolved, ...(integrity ? { integrity } : {}) };
}
