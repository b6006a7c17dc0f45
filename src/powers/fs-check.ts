import { statSync } from "node:fs";
import { sep } from "node:path";
import { slashed } from "../disk/paths.ts";
import type { ExecGrant } from "./exec-grant.ts";
import { shownBy } from "./exec-paths.ts";
import { type FsGrant, isOrdinary, type May, permits } from "./fs-grant.ts";
import { absolute, type CheckedPath, faultOfPath, isSpecial, MAX_PARTS, realTarget } from "./fs-path.ts";
import type { FsRight } from "./fs-refused-names.ts";
import { rootsIn, throughRoots } from "./fs-roots.ts";
import type { Session } from "./lent-session.ts";
import { patternsOf, type SqliteGrant } from "./sqlite-grant.ts";

/** Where a path leads, if both it and its target are granted. `link`: a link in its last part is meant itself. */
export function checkedPath(
  asked: string,
  granted: readonly string[],
  right: FsRight,
  link: boolean,
  session: Session,
): CheckedPath | undefined {
  if (faultOfPath(asked) !== undefined) return undefined;
  const roots = rootsIn(session);
  const named = throughRoots(absolute(asked, session.cwd), session);
  // Such a path leads nowhere, and many parts take long to match.
  if (named.split(sep).length - 1 > MAX_PARTS) return undefined;
  // Looked at first: where an unreadable path leads is not the hook's to find out.
  if (!permits(granted, right, slashed(named), roots)) return undefined;
  const real = realTarget(named, !link);
  if (real === undefined || isSpecial(real)) return undefined;
  // Most paths have no link, and were looked at above.
  const isLookedAt = real === named && right !== "write";
  return isLookedAt || isGranted(granted, right, real, session) ? { asked, real } : undefined;
}

/** True for a folder that is there, reached by no link, and holds what one of these patterns names: whoever has that knows as much. */
export function isFolderAbove(asked: string, granted: readonly string[], session: Session): boolean {
  if (faultOfPath(asked) !== undefined) return false;
  const named = throughRoots(absolute(asked, session.cwd), session);
  const above = `${slashed(named)}/`;
  const roots: Readonly<Record<string, string>> = { ...rootsIn(session) };
  const isNamed = granted.some((pattern) => pattern.replace(/^\$\w+/, (root) => roots[root] ?? root).startsWith(above));
  return (
    isNamed && realTarget(named, true) === named && statSync(named, { throwIfNoEntry: false })?.isDirectory() === true
  );
}

/** Where a path leads, if that is to another. `link` as of {@link checkedPath}. */
export function leadsTo(asked: string, link: boolean, session: Session): string | undefined {
  if (faultOfPath(asked) !== undefined) return undefined;
  const named = throughRoots(absolute(asked, session.cwd), session);
  const real = realTarget(named, !link);
  return real === named ? undefined : real;
}

/**
 * Whether a grant covers a real path. What decides about hooks is to be named exactly for writing, as files of code are;
 * Cordon's own always.
 */
export function isGranted(
  granted: readonly string[],
  right: FsRight,
  real: string,
  session: Session,
  known?: Map<string, boolean>,
): boolean {
  const [path, roots] = [slashed(real), rootsIn(session)];
  if (!permits(granted, right, path, roots)) return false;
  if (right !== "write" || !session.own.holds(real, known)) return true;
  return permits(granted, right, path, roots, session.own.strict.holds(real) ? "always" : true);
}

/** What a grant allows in a session, beside that of programs. `known`: of the paths that decide about hooks. */
export function mayUnder(
  granted: FsGrant,
  session: Session,
  { exec = [], sqlite = [] }: { readonly exec?: ExecGrant; readonly sqlite?: SqliteGrant } = {},
  known?: Map<string, boolean>,
): May {
  let shown: ReturnType<typeof shownBy> | undefined;
  const databases = patternsOf(sqlite, false);
  return (right, real) => {
    const has = (one: FsRight): boolean => isGranted(granted[one] ?? [], one, real, session, known);
    if (right === "link") return takesLinks(real, session) && has("write");
    const ofPrograms = (): ReturnType<typeof shownBy> => {
      shown ??= shownBy(exec, session);
      return shown;
    };
    const isDatabase = (path: string): boolean => permits(databases, "read", path, rootsIn(session));
    const path = slashed(real);
    switch (right) {
      case "show":
        return has("read") || isDatabase(path) || ofPrograms().surely(real);
      case "expose":
        return has("read") || isDatabase(path.replace(BESIDE_DATABASE, "")) || ofPrograms().perhaps(real);
      case "showByGit":
        return ofPrograms().byGit(real);
      case "exposeByGit":
        return ofPrograms().perhapsByGit(real);
      default:
        return has(right);
    }
  };
}

/** What SQLite keeps beside a database, and reads as part of it. */
const BESIDE_DATABASE = /-(wal|shm|journal)$/;

/**
 * Whether a link may be put at a real path. Not where names are granted exactly, as of code: whoever granted one file did not grant
 * what else it could lead to, or that it goes on leading there when the grant has ended.
 */
export const takesLinks = (real: string, session: Session): boolean =>
  isOrdinary(slashed(real)) && !session.own.holds(real) && !session.own.isAbove(real);
