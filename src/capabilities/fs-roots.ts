import { homedir, tmpdir } from "node:os";
import { sep } from "node:path";
import type { Session } from "../session.ts";
import { rootsOf } from "./fs-grant.ts";

export type Roots = ReturnType<typeof rootsOf>;
const pinned = new WeakMap<Session, Roots>();

/** `$CWD` and its kind, as they are when a session first needs them: a folder that is put in their place is another. */
export function rootsIn(session: Session): Roots {
  const roots = pinned.get(session) ?? rootsOf(session.cwd);
  pinned.set(session, roots);
  return roots;
}

/** The session's own folder may be named by a path with links in it. */
export function throughRoots(path: string, session: Session, roots: Roots): string {
  for (const [folder, real] of [
    [session.cwd, roots.$CWD],
    [homedir(), roots.$HOME],
    [tmpdir(), roots.$TMP],
  ] as [string, string][]) {
    if (path === folder) return real;
    if (path.startsWith(folder + sep)) return real + path.slice(folder.length);
  }
  return path;
}
