import { resolve } from "node:path";
import { slashed } from "../disk/paths.ts";
import { permits, realFolder } from "./fs-grant.ts";
import { absolute, faultOfPath, realTarget } from "./fs-path.ts";

/** Ends a granted folder that means each folder below it, too. */
const BELOW = "/**";

/** Whether an entry that names this means the folders below it, too: none can mean a folder of this name alone. */
export const meansBelow = (named: string): boolean => named.endsWith(BELOW);

/** The folder that an entry names, and whether those below it are meant, too. */
function granted(named: string, cwd: string): { folder: string; below: boolean } {
  const below = meansBelow(named);
  const bare = below ? named.slice(0, -BELOW.length) : named;
  return {
    folder: resolve(
      cwd,
      bare.replace(/^\$CWD/, () => cwd),
    ),
    below,
  };
}

/**
 * The folder that a command runs in under a granted entry; `undefined` if the entry does not cover the one that is asked for.
 * Links are followed, and a folder with secrets does not count as below another.
 *
 * @param asked as the hook says it; `undefined` leaves it to the entry
 */
export function folderFor(entry: { cwd?: string }, asked: string | undefined, cwd: string): string | undefined {
  const { folder, below } = granted(entry.cwd ?? "$CWD", cwd);
  if (asked === undefined && !below) return folder;
  const named = asked ?? cwd;
  if (faultOfPath(named) !== undefined) return undefined;
  const real = realTarget(absolute(named, cwd), true);
  if (real === undefined) return undefined;
  const root = realFolder(folder);
  if (!below) return slashed(real) === root ? folder : undefined;
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

/** How a grant names a folder that a hook asked for. */
export function namedFolder(asked: string, cwd: string): string {
  const path = absolute(asked, cwd);
  return path === cwd ? "$CWD" : path.startsWith(`${cwd}/`) ? `$CWD${path.slice(cwd.length)}` : path;
}
