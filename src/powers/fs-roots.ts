import { homedir, tmpdir } from "node:os";
import { sep } from "node:path";
import { rootsOf } from "./fs-grant.ts";
import type { Session } from "./lent-session.ts";

export type Roots = ReturnType<typeof rootsOf>;

/** The same folders by the names that a hook knows, which may have links in them. */
type Known = readonly (readonly [named: string, real: string])[];

const pinned = new WeakMap<Session, { roots: Roots; known: Known }>();

function pinnedOf(session: Session): { roots: Roots; known: Known } {
  const made = pinned.get(session);
  if (made) return made;
  const roots = rootsOf(session.cwd);
  const known = [
    [session.cwd, roots.$CWD],
    [homedir(), roots.$HOME],
    [tmpdir(), roots.$TMP],
  ] as [string, string][];
  pinned.set(session, { roots, known });
  return { roots, known };
}

/** `$CWD` and its kind, as they are when a session first needs them: a folder that replaces one of them is another folder. */
export const rootsIn = (session: Session): Roots => pinnedOf(session).roots;

/** A path by the real name of the session's own folder that it begins with. */
export function throughRoots(path: string, session: Session): string {
  for (const [named, real] of pinnedOf(session).known) {
    if (path === named) return real;
    if (path.startsWith(named + sep)) return real + path.slice(named.length);
  }
  return path;
}
