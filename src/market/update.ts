import { existsSync } from "node:fs";
import { compare } from "semver";
import { CordonError } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { cleanLine } from "../base/text.ts";
import { acceptedPowers } from "../grants/chosen.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { limitsStillAsked } from "../grants/limits.ts";
import { PROVENANCE } from "../grants/policy.ts";
import { type Capabilities, type Limits, powersOf } from "../grants/schema.ts";
import { stillAsked } from "../grants/still-asked.ts";
import { isGuard, lostGuard, lostHandlers, widerPowers } from "../grants/wider.ts";
import { type LockEntry, packageFolder } from "../store/hooks-lock.ts";
import type { Dependencies } from "../store/pins.ts";
import { changedDependencies, changedFiles, changedHearing } from "./difference.ts";
import type { Offer } from "./fetch.ts";
import { asked, type Staged, type StagedHook } from "./stage.ts";
import { filesOf, type TreeFile } from "./tree.ts";

/** What a newer version of an installed hook would change. */
export interface Change {
  id: string;
  from: string;
  to: string;
  /** Powers that nobody was asked about yet. If there are none, the hook keeps its grant. */
  wider: string[];
  narrower: string[];
  /** What it no longer guards. */
  unguarded: string[];
  files: string[];
  /** Dependencies that were added, removed or changed. */
  dependencies: string[];
  /** Events that it hears now or no longer, if both versions were rehearsed. */
  hears: string[];
}

/** A person decides about it. */
export const isDecisive = ({ wider, unguarded }: Change): boolean => wider.length > 0 || unguarded.length > 0;

/** Other bytes under the same version: its author did not say that it changed. */
export const isOtherBytes = ({ from, to }: Change): boolean => from === to;

const MAX_LISTED = 30;

/** The same bytes with the same dependencies. */
const isSame = (hook: StagedHook, { fetched }: Staged, entry: LockEntry): boolean =>
  hook.digest === entry.digest && fetched.integrity === entry.integrity;

/**
 * The hook that the source of an installed one has now; `undefined` if it is the same. Throws `INTEGRITY_MISMATCH` for what
 * an honest author never does: other bytes under the same version, an older version, a version that vanished, another
 * publisher, less provenance, another key or registry, a hook that is gone.
 *
 * @param offer what its source has now
 */
export function newerHook(id: string, entry: LockEntry, staged: Staged, offer: Offer): StagedHook | undefined {
  const { fetched } = staged;
  const hook = staged.hooks.find((one) => one.id === id);
  const stop = (why: string): CordonError => stopped(id, why);
  if (!hook) throw stop(`${fetched.name} ${fetched.version} no longer has this hook`);
  if (isSame(hook, staged, entry)) return undefined;
  const published = !entry.source.startsWith("path:") && !entry.source.startsWith("git:");
  const order = compare(fetched.version, entry.version);
  if (offer.versions?.includes(entry.version) === false)
    throw stop(`its registry no longer has version ${entry.version}`);
  refuseOtherRegistries(entry, fetched.dependencies, stop);
  if (entry.keys && (fetched.signedBy ?? []).some((key) => !entry.keys?.includes(key)))
    throw stop("it is signed with a key that its registry did not have when it was installed");
  if (published && order === 0 && fetched.integrity !== entry.integrity)
    throw stop(`version ${entry.version} has other bytes than when it was installed`);
  if (order < 0) throw stop(`its source has version ${fetched.version}, older than the installed ${entry.version}`);
  if (entry.publisher !== undefined && fetched.publisher !== entry.publisher)
    throw stop(`its publisher was ${entry.publisher} and is now ${fetched.publisher ?? "not known"}`);
  if (entry.builder !== undefined && fetched.builder !== undefined && fetched.builder !== entry.builder)
    throw stop(`it was built by ${entry.builder} and is now built by ${fetched.builder}`);
  if (PROVENANCE.indexOf(fetched.provenance) < PROVENANCE.indexOf(entry.provenance))
    throw stop(
      `the installed version is ${entry.provenance}, and this one is ${fetched.provenance === "none" ? "not" : fetched.provenance}`,
    );
  return hook;
}

/**
 * Throws `INTEGRITY_MISMATCH` if a package would come from another registry than it did: there the name may be anybody's.
 *
 * @param registry the registry that it would come from now
 */
export function refuseOtherRegistry(id: string, entry: LockEntry, registry: string | undefined): void {
  if (entry.registry !== undefined && registry !== undefined && entry.registry !== registry)
    throw stopped(id, `it was fetched from ${entry.registry}, and would be from ${registry}`);
}

function refuseOtherRegistries(
  { dependencies = {} }: LockEntry,
  now: Dependencies,
  stop: (why: string) => Error,
): void {
  const known = Object.values(dependencies);
  for (const { name, registry } of Object.values(now)) {
    const before = known.filter((one) => one.name === name && one.registry !== undefined);
    if (before.length > 0 && !before.some((one) => one.registry === registry))
      throw stop(`its dependency ${name} was fetched from ${before[0]?.registry}, and is from ${registry} now`);
  }
}

const stopped = (id: string, why: string): CordonError =>
  new CordonError(
    "INTEGRITY_MISMATCH",
    `${id} was not updated: ${why}; to take it anyway: ${command`cordon remove ${id}`} and add it again`,
  );

/** What an installed hook has, and what a newer version keeps of it: what it still asks for. */
export function keptAt(
  entry: LockEntry,
  granted: GrantEntry | undefined,
  { manifest }: StagedHook,
): { had: Capabilities; kept: Capabilities; limits: Limits } {
  // What was granted to other bytes does not carry over.
  const held = granted?.digest === entry.digest ? granted : undefined;
  const had = acceptedPowers(entry.requested, held?.capabilities);
  // One that has no manifest any more asks for nothing any more.
  const now = manifest ?? (Object.keys(entry.requested).length > 0 ? {} : undefined);
  return { had, kept: stillAsked(had, now), limits: limitsStillAsked(held?.limits ?? {}, now) };
}

/**
 * How a hook differs from the installed one; `undefined` if it is the same. What each hears is compared if both were
 * rehearsed. `granted`: what the person granted to the installed one, who may have made more of a guard of it than it asks for.
 */
export function differenceOf(
  hook: StagedHook,
  entry: LockEntry,
  staged: Staged,
  { home, granted }: { home: string; granted: GrantEntry | undefined },
): Change | undefined {
  if (isSame(hook, staged, entry)) return undefined;
  const { fetched, files: now } = staged;
  const asks = asked(hook);
  const { had, kept } = keptAt(entry, granted, hook);
  const isMore = !powersOf.covers(acceptedPowers(entry.requested, entry.requested), { events: had.events });
  const old = packageFolder(home, entry);
  const heard = entry.bundle && hook.hears ? ([entry.bundle.hears, hook.hears] as const) : undefined;
  const files = changedFiles(
    existsSync(old) ? filesOf(old).filter(ownOf(entry.dependencies ?? {})) : [],
    now.filter(ownOf(fetched.dependencies)),
  );
  return {
    id: hook.id,
    from: entry.version,
    to: fetched.version,
    wider: widerPowers(entry.requested, asks),
    narrower: widerPowers(asks, entry.requested),
    unguarded: [
      ...new Set([...lostGuard(entry.requested, asks), ...(isMore ? lostGuard(had, kept) : [])]),
      ...(heard && (isGuard(entry.requested) || (isMore && isGuard(had)))
        ? lostHandlers(...heard).map((event) => `${event}: it has no handler`)
        : []),
    ],
    files: listed(files),
    dependencies: listed(changedDependencies(entry.dependencies ?? {}, fetched.dependencies)),
    hears: heard ? listed(changedHearing(...heard)) : [],
  };
}

/** Whether a file came with the package itself, and not as one of its dependencies: a package may bring modules along. */
function ownOf(dependencies: Dependencies): (file: TreeFile) => boolean {
  const folders = Object.keys(dependencies).map((place) => `${place}/`);
  return ({ path }) => !folders.some((folder) => path.startsWith(folder));
}

const listed = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MAX_LISTED).map((line) => cleanLine(line, 200)),
  ...(lines.length > MAX_LISTED ? [`and ${lines.length - MAX_LISTED} more`] : []),
];
