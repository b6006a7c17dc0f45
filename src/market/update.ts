import { existsSync } from "node:fs";
import { compare } from "semver";
import { CordonError } from "../errors.ts";
import { PROVENANCE } from "../grants/policy.ts";
import type { Capabilities } from "../grants/schema.ts";
import { widerPowers } from "../grants/wider.ts";
import { cleanLine } from "../text.ts";
import { changedDependencies, changedFiles } from "./difference.ts";
import { type LockEntry, packageFolder } from "./hooks-lock.ts";
import type { Staged, StagedHook } from "./stage.ts";
import { filesOf, type TreeFile } from "./tree.ts";

/** What a newer version of an installed hook would change. */
export interface Change {
  id: string;
  from: string;
  to: string;
  /** Powers that nobody was asked about yet. Without any, the hook keeps what it was granted of the rest. */
  wider: string[];
  narrower: string[];
  files: string[];
  /** Dependencies that came, went or changed. */
  dependencies: string[];
}

const MAX_LISTED = 30;

/**
 * Compares what is installed with what its source has now; `undefined` where that is the same. Throws
 * `INTEGRITY_MISMATCH` for what an honest author never does: other bytes under the same version, an older version, a version
 * that vanished, another publisher, less that vouches for it, a hook that is gone.
 *
 * @param vanished the registry does not have the installed version any more
 */
export function changeOf(
  id: string,
  entry: LockEntry,
  staged: Staged,
  { home, vanished }: { home: string; vanished: boolean },
): Change | undefined {
  const { fetched } = staged;
  const hook = staged.hooks.find((one) => one.id === id);
  const stop = (what: string): CordonError =>
    new CordonError(
      "INTEGRITY_MISMATCH",
      `${id} was not updated: ${what}; to take it all the same: cordon remove ${id} and add it again`,
    );
  if (!hook) throw stop(`${fetched.name} ${fetched.version} has no such hook any more`);
  if (hook.digest === entry.digest && fetched.integrity === entry.integrity) return undefined;
  const published = !entry.source.startsWith("path:") && !entry.source.startsWith("git:");
  const order = compare(fetched.version, entry.version);
  if (vanished) throw stop(`its registry has version ${entry.version} no more`);
  if (published && order === 0 && fetched.integrity !== entry.integrity)
    throw stop(`version ${entry.version} has other bytes than when it was installed`);
  if (published && order < 0)
    throw stop(`its source has version ${fetched.version}, older than the installed ${entry.version}`);
  if (entry.publisher !== undefined && fetched.publisher !== entry.publisher)
    throw stop(`its publisher was ${entry.publisher}, and is ${fetched.publisher ?? "not known"}`);
  if (entry.builder !== undefined && fetched.builder !== undefined && fetched.builder !== entry.builder)
    throw stop(`it was built by ${entry.builder}, and is built by ${fetched.builder}`);
  if (PROVENANCE.indexOf(fetched.provenance) < PROVENANCE.indexOf(entry.provenance))
    throw stop(
      `the installed version is ${entry.provenance}, and this one is ${fetched.provenance === "none" ? "not" : fetched.provenance}`,
    );
  return differenceOf(id, entry, hook, staged, home);
}

/** What taking a version in the place of another changes. */
export function differenceOf(
  id: string,
  entry: LockEntry,
  hook: StagedHook,
  { fetched, files: now }: Staged,
  home: string,
): Change {
  const asks = asked(hook);
  const old = packageFolder(home, entry);
  const own = ({ path }: TreeFile): boolean => !path.startsWith("node_modules/");
  const files = changedFiles(existsSync(old) ? filesOf(old).filter(own) : [], now.filter(own));
  return {
    id,
    from: entry.version,
    to: fetched.version,
    wider: widerPowers(entry.requested, asks),
    narrower: widerPowers(asks, entry.requested),
    files: listed(files),
    dependencies: listed(changedDependencies(entry.dependencies ?? {}, fetched.dependencies)),
  };
}

const listed = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MAX_LISTED).map((line) => cleanLine(line, 200)),
  ...(lines.length > MAX_LISTED ? [`and ${lines.length - MAX_LISTED} more`] : []),
];

/** What it may be granted later, when it uses it first. */
export const mayAsk = (hook: StagedHook): Capabilities => (hook.manifest?.optional ?? {}) as Capabilities;

export const asked = (hook: StagedHook): Capabilities => (hook.manifest?.capabilities ?? {}) as Capabilities;
