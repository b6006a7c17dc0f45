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
 * The real folder that an entry names, and whether those below it are meant, too. No link in a project counts: whoever wrote the
 * project would decide where it leads.
 */
function granted(named: string, cwd: string): { root: string; below: boolean } {
  const below = meansBelow(named);
  const bare = below ? named.slice(0, -BELOW.length) : named;
  const root = /^\$CWD(?=\/|$)/.test(bare)
    ? realFolder(cwd) + bare.slice("$CWD".length)
    : realFolder(resolve(cwd, bare));
  return { root, below };
}

/**
 * The real folder that a command runs in under a granted entry; `undefined` if the entry does not cover the one that is asked for.
 * A folder with secrets does not count as below another.
 *
 * @param asked as the hook says it; `undefined` leaves it to the entry
 */
export function folderFor(entry: { cwd?: string }, asked: string | undefined, cwd: string): string | undefined {
  const { root, below } = granted(entry.cwd ?? "$CWD", cwd);
  const named = asked ?? (below ? cwd : root);
  if (faultOfPath(named) !== undefined) return undefined;
  const real = realTarget(absolute(named, cwd), true);
  if (real === undefined) return undefined;
  if (!below) return slashed(real) === root ? real : undefined;
  const whole = realFolder(absolute(named, cwd));
  return whole === slashed(real) && permits(["$CWD/**"], "read", whole, { $CWD: root }) ? real : undefined;
}

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
