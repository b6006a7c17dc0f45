import { existsSync } from "node:fs";
import { compare } from "semver";
import { CordonError } from "../errors.ts";
import type { Capabilities } from "../grants/schema.ts";
import { widerPowers } from "../grants/wider.ts";
import { cleanLine } from "../text.ts";
import { changedFiles } from "./difference.ts";
import { type LockEntry, packageFolder } from "./hooks-lock.ts";
import type { Staged, StagedHook } from "./stage.ts";
import { filesOf } from "./tree.ts";

/** What a newer version of an installed hook would change. */
export interface Change {
  id: string;
  from: string;
  to: string;
  /** Powers that nobody was asked about yet. Without any, the hook keeps what it was granted of the rest. */
  wider: string[];
  narrower: string[];
  files: string[];
}

const MAX_LISTED = 30;

/**
 * Compares what is installed with what its source has now; `undefined` where that is the same. Throws
 * `INTEGRITY_MISMATCH` for what an honest author never does: other bytes under the same version, an older version, another
 * publisher, a hook that is gone.
 */
export function changeOf(id: string, entry: LockEntry, staged: Staged, home: string): Change | undefined {
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
  if (published && order === 0 && fetched.integrity !== entry.integrity)
    throw stop(`version ${entry.version} has other bytes than when it was installed`);
  if (published && order < 0)
    throw stop(`its source has version ${fetched.version}, older than the installed ${entry.version}`);
  if (entry.publisher !== undefined && fetched.publisher !== entry.publisher)
    throw stop(`its publisher was ${entry.publisher}, and is ${fetched.publisher ?? "not known"}`);
  if (entry.provenance === "attested" && fetched.provenance !== "attested")
    throw stop("the installed version was attested, and this one is not");
  const asks = asked(hook);
  const old = packageFolder(home, entry.package, entry.integrity);
  const files = changedFiles(existsSync(old) ? filesOf(old) : [], staged.files);
  return {
    id,
    from: entry.version,
    to: fetched.version,
    wider: widerPowers(entry.requested, asks),
    narrower: widerPowers(asks, entry.requested),
    files: [
      ...files.slice(0, MAX_LISTED).map((line) => cleanLine(line, 200)),
      ...(files.length > MAX_LISTED ? [`and ${files.length - MAX_LISTED} more`] : []),
    ],
  };
}

export const asked = (hook: StagedHook): Capabilities => (hook.manifest?.capabilities ?? {}) as Capabilities;
