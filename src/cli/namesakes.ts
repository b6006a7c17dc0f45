import npa from "npm-package-arg";
import { satisfies } from "semver";
import { CordonError } from "../base/errors.ts";
import { judgedSource } from "../grants/judged-source.ts";
import { type Offered, offeredIn } from "../market/indexes.ts";
import type { Target } from "../market/install.ts";
import { type KnownName, lookalikes } from "../market/lookalikes.ts";
import { sourceOf } from "../market/source.ts";
import type { Staged } from "../market/stage.ts";
import { idIn, lockPath, readLock } from "../store/hooks-lock.ts";
import { note } from "./common.ts";

/**
 * Warns about names that a person could confuse, among what they have installed and what their indexes offer. Rejects with
 * `INTEGRITY_MISMATCH` if an index vouches for other bytes of this package.
 */
export async function namesakes(staged: Staged, { home, cwd }: Target): Promise<string[]> {
  const offered = await offeredIn(home, [], note);
  refuseUnvouched(staged, offered, cwd);
  return warningsOf(staged, offered, home);
}

/** Rejects with `INTEGRITY_MISMATCH` if an index vouches for other bytes of this package. */
export const refuseOtherBytes = async (staged: Staged, { home, cwd }: Target): Promise<void> =>
  refuseUnvouched(staged, await offeredIn(home, [], note), cwd);

/**
 * An index that states the integrity of a package vouches for these bytes and no others, however the package is named: whoever writes
 * a project's lock chooses its spelling.
 */
function refuseUnvouched({ fetched, source }: Staged, offered: readonly Offered[], cwd: string): void {
  const place = judgedSource(source.origin);
  const isMeant = (spec: string): boolean => {
    const origin = originOf(spec, cwd);
    if (origin === source.origin) return true;
    if (judgedSource(origin) !== place) return false;
    // Without a commit the index means the repository, whichever is asked for.
    if (origin.startsWith("git:")) return !origin.includes("#");
    return !origin.startsWith("npm:") || isVersionOf(origin.slice(4), fetched.version);
  };
  const vouched = offered.filter(({ spec, integrity }) => integrity !== undefined && isMeant(spec));
  const other = vouched.find(({ integrity }) => integrity !== fetched.integrity);
  if (other)
    throw new CordonError(
      "INTEGRITY_MISMATCH",
      `${fetched.name} ${fetched.version} is not what the index ${other.from} vouches for`,
    );
}

/** Whether a spec of npm's means a version of its package: it names that, a range with it, or the package as it is usually taken. */
function isVersionOf(spec: string, version: string): boolean {
  const { type, fetchSpec } = npa(spec, "/");
  if (type === "tag" || typeof fetchSpec !== "string") return fetchSpec === "latest";
  return satisfies(version, fetchSpec, { loose: true, includePrerelease: true });
}

/** The origin of an index's spec; the spec itself if this version does not know its form. */
function originOf(spec: string, cwd: string): string {
  try {
    return sourceOf(spec, cwd).origin;
  } catch {
    return spec;
  }
}

/** Names that a person could confuse with those of the package and its dependencies. */
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
