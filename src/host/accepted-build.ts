import { relative, sep } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { bundleHash } from "../bundle/builder.ts";
import type { Bundle } from "../bundle/cache.ts";
import { type BuildRecord, recordOf } from "../grants/build-record.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { lostHandlers } from "../grants/wider.ts";
import type { Hook } from "../session/hook.ts";
import { changeGrant } from "../store/grants-file.ts";
import { grantsPath } from "../store/grants-text.ts";
import { commit } from "../store/journal.ts";
import { rehearse, type StartHost } from "./rehearsal.ts";
import { sampleEvents } from "./sample-events.ts";

/** The record of the build that a person accepted, if it was built from these sources. */
export function acceptedBuild({ origin }: Hook, entry: GrantEntry | undefined): BuildRecord | undefined {
  const record = origin.kind === "installed" ? origin.entry.bundle : entry?.bundle;
  return record?.digest === entry?.digest ? record : undefined;
}

/** After the builder changed, bundles can no longer be compared. */
export const isAsAccepted = (record: BuildRecord | undefined, bundle: Bundle, root: string): boolean =>
  !record || record.builder !== bundle.builder || record.sha256 === bundleHash(bundle, root);

/**
 * The bundle of sources whose digest was accepted. Rejects with `DIGEST_MISMATCH` if it is not the accepted bundle, because
 * something other than the sources changed it. If only the builder changed, the hook is rehearsed again, and a difference in
 * the events that it hears is reported.
 *
 * @param rebuild builds it from its sources, without the cache
 */
export async function asAccepted(
  hook: Hook,
  bundle: Bundle,
  record: BuildRecord | undefined,
  deps: { home: string; remedy: string; start: StartHost; notice(text: string): void; rebuild(): Promise<Bundle> },
): Promise<Bundle> {
  if (record && record.builder !== bundle.builder) await rehearseAgain(hook, bundle, record, deps);
  if (isAsAccepted(record, bundle, hook.root)) return bundle;
  // Anybody may have written to the cache: the sources decide.
  const again = await deps.rebuild();
  if (again.digest === bundle.digest && isAsAccepted(record, again, hook.root)) return again;
  throw new CordonError(
    "DIGEST_MISMATCH",
    `its sources are those that were accepted, but its build is not; run: ${deps.remedy}`,
  );
}

async function rehearseAgain(
  hook: Hook,
  bundle: Bundle,
  before: BuildRecord,
  { home, notice, start }: { home: string; start: StartHost; notice(text: string): void },
): Promise<void> {
  try {
    const file = relative(hook.root, hook.realPath).split(sep).join("/");
    const rehearsed = {
      id: hook.id,
      file,
      digest: bundle.digest,
      builder: bundle.builder,
      carries: hook.origin.kind === "installed" && hook.origin.entry.carries === true,
      sha256: bundleHash(bundle, hook.root),
    };
    const folders = { folder: hook.root, own: hook.root };
    const { state, reason, digest, hears } = await rehearse(start, rehearsed, folders, home, sampleEvents());
    if (state !== "active" || digest !== bundle.digest) throw new Error(reason ?? "it changed meanwhile");
    const lost = before.hears.filter((event) => !hears.includes(event));
    const more = hears.filter((event) => !before.hears.includes(event));
    if (lost.length + more.length > 0)
      notice(
        `hook ${hook.name}, built by another version of Cordon than when it was accepted, hears other events: ${cleanLine(
          [...lost.map((event) => `no more ${event}`), ...more.map((event) => `also ${event}`)].join(", "),
          500,
        )}`,
      );
    // The record says what it has to guard.
    if (lostHandlers(before.hears, hears).length > 0) return;
    keepRecord(hook, home, recordOf({ ...rehearsed, hears }));
  } catch (error) {
    notice(
      `hook ${hook.name} was built by another version of Cordon, and could not be rehearsed again: ${messageOf(error)}`,
    );
  }
}

/** Replaces the record of the build. The powers stay what a person decided. */
function keepRecord({ key, origin }: Hook, home: string, bundle: BuildRecord): void {
  const renew = <T extends { digest?: string }>(entry: T): T =>
    entry.digest === bundle.digest ? { ...entry, bundle } : entry;
  if (origin.kind !== "installed") changeGrant(grantsPath(home), key, (entry) => entry && renew(entry));
  else
    commit(home, (installed) => {
      const entry = installed.get(key);
      if (entry) installed.set(key, renew(entry));
    });
}
