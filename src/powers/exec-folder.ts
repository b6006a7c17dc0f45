import { resolve } from "node:path";
import { slashed } from "../disk/paths.ts";
import { permits, realFolder } from "./fs-grant.ts";
import { absolute, faultOfPath, realTarget } from "./fs-path.ts";
import { rootsIn, throughRoots } from "./fs-roots.ts";
import type { Session } from "./lent-session.ts";

/** Ends a granted folder that means each folder below it, too. */
const BELOW = "/**";

/** Whether an entry that names this means the folders below it, too: none can mean a folder of this name alone. */
export const meansBelow = (named: string): boolean => named.endsWith(BELOW);

/**
 * The folder that an entry names, and whether those below it are meant, too. No link counts but those that lead to the session's own
 * folders: where another leads could be decided by whoever wrote the project, or by a hook.
 */
function granted(named: string, session: Session): { root: string; below: boolean } {
  const below = meansBelow(named);
  const bare = (below ? named.slice(0, -BELOW.length) : named).replace(/^\$CWD(?=\/|$)/, () => session.cwd);
  return { root: throughRoots(resolve(session.cwd, bare), session), below };
}

/**
 * The real folder that a command runs in under a granted entry; `undefined` if the entry does not cover the one that is asked for.
 * A folder with secrets does not count as below another.
 *
 * @param asked as the hook says it; `undefined` leaves it to the entry
 */
export function folderFor(entry: { cwd?: string }, asked: string | undefined, session: Session): string | undefined {
  const { root, below } = granted(entry.cwd ?? "$CWD", session);
  const named = asked ?? (below ? session.cwd : root);
  if (faultOfPath(named) !== undefined) return undefined;
  const path = throughRoots(absolute(named, session.cwd), session);
  const real = realTarget(path, true);
  if (real === undefined || !below) return real === root ? real : undefined;
  // What is not there, or is reached by a link that leads nowhere, is no folder.
  if (realFolder(path) !== slashed(real)) return undefined;
  return permits(["$CWD/**"], "read", slashed(real), { $CWD: slashed(root) }) ? real : undefined;
}

/** The folder of an entry, below which others may be meant. */
export const rootOf = ({ cwd = "$CWD" }: { cwd?: string }, session: Session): string => granted(cwd, session).root;

/** Whether each folder that `narrow` means is one of `wide`'s. */
export function coversFolder(wide = "$CWD", narrow = "$CWD"): boolean {
  if (wide === narrow) return true;
  if (!meansBelow(wide)) return false;
  const root = wide.slice(0, -BELOW.length);
  return narrow === root || (narrow.startsWith(`${root}/`) && !narrow.split("/").includes(".."));
}

/** How a grant names a folder that a hook asked for. `isBlind`: as if there were no links. */
export function namedFolder(asked: string, isBlind: boolean, session: Session): string {
  const named = throughRoots(absolute(asked, session.cwd), session);
  const path = isBlind ? named : (realTarget(named, true) ?? named);
  const { $CWD: cwd = "" } = rootsIn(session);
  return path === cwd ? "$CWD" : path.startsWith(`${cwd}/`) ? `$CWD${path.slice(cwd.length)}` : path;
}
