import { CordonError } from "../base/errors.ts";
import { type Offered, offeredIn } from "../market/indexes.ts";
import type { Target } from "../market/install.ts";
import { type KnownName, lookalikes } from "../market/lookalikes.ts";
import { sourceOf } from "../market/source.ts";
import type { Staged } from "../market/stage.ts";
import { idIn, lockPath, readLock } from "../store/hooks-lock.ts";
import { note } from "./common.ts";

/**
 * What a person may take a package for, among what they have installed and what their indexes offer. Rejects with
 * `INTEGRITY_MISMATCH` for other bytes than an index vouches for.
 */
export async function namesakes(staged: Staged, { home, cwd }: Target): Promise<string[]> {
  const offered = await offeredIn(home, [], note);
  refuseOtherBytes(staged, offered, cwd);
  return warningsOf(staged, offered, home);
}

/** What an index vouches for is these bytes and no others. */
function refuseOtherBytes({ fetched, source }: Staged, offered: readonly Offered[], cwd: string): void {
  const vouched = offered.filter(
    ({ spec, integrity }) => integrity !== undefined && originOf(spec, cwd) === source.origin,
  );
  const other = vouched.find(({ integrity }) => integrity !== fetched.integrity);
  if (other)
    throw new CordonError(
      "INTEGRITY_MISMATCH",
      `${fetched.name} ${fetched.version} is not what the index ${other.from} vouches for`,
    );
}

/** A spec of an index may be of a form that this version does not know. */
function originOf(spec: string, cwd: string): string {
  try {
    return sourceOf(spec, cwd).origin;
  } catch {
    return spec;
  }
}

/** What a person may take it for. */
function warningsOf({ fetched, source }: Staged, offered: readonly Offered[], home: string): string[] {
  const known: KnownName[] = [...readLock(lockPath(home))].map(([key, entry]) => ({
    name: entry.package,
    origin: entry.source,
    known: idIn(key, undefined) === undefined ? "which a project of yours has" : "which is installed",
  }));
  known.push({ name: "cordon", origin: "npm:cordon", known: "which is Cordon itself" });
  for (const { name, spec, from } of offered)
    known.push({ name, origin: originOf(spec, home), known: `which the index ${from} offers` });
  const dependencies = Object.values(fetched.dependencies).map(({ name }) => ({
    name,
    origin: "npm:",
    subject: "its dependency",
  }));
  return lookalikes([{ name: fetched.name, origin: source.origin, subject: "this package" }, ...dependencies], known);
}
