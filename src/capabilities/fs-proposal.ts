import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Session } from "../session.ts";
import { type FsRight, isRefused, slashed } from "./fs-grant.ts";
import { absolute, faultOfPath, isSpecial } from "./fs-place.ts";
import { rootsIn, throughRoots } from "./fs-roots.ts";

/** The pattern that a person is asked to grant: for reading what is in the project all of it, else the one path. */
export function patternFor(asked: string, right: FsRight, session: Session): string | undefined {
  if (faultOfPath(asked) !== undefined) return undefined;
  const roots = rootsIn(session);
  const path = slashed(throughRoots(absolute(asked, session.cwd), session));
  if (isSpecial(path) || /[*?[\]{}()!]/.test(path)) return undefined;
  const inProject = path === roots.$CWD || path.startsWith(`${roots.$CWD}/`);
  if (right === "read" && inProject && !isRefused(path, right)) return "$CWD/**";
  for (const [name, folder] of Object.entries(roots)) {
    if (path === folder) return name;
    if (path.startsWith(`${folder}/`)) return name + timeless(path.slice(folder.length));
  }
  return timeless(path);
}

/** A time in a name is another one the next time. */
const timeless = (path: string): string => path.replace(/\d{10,}/g, "*");

/** What `mkdtemp` adds to a name. */
export const ANY_SUFFIX = "??????";

/** Patterns of the folders that would have to be made for one that is to be made. */
export function missingAbove(asked: string, session: Session): string[] {
  const patterns: string[] = [];
  for (let folder = dirname(absolute(asked, session.cwd)); !existsSync(folder); folder = dirname(folder))
    patterns.push(patternFor(folder, "write", session) ?? slashed(folder));
  return patterns.reverse();
}
