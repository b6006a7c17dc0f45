import { tmpdir } from "node:os";
import { sep } from "node:path";
import { userFolder } from "../disk/user-folder.ts";
import { realFolder } from "./fs-grant.ts";
import type { Session } from "./lent-session.ts";

/** What the folders that patterns start with stand for, by their names. */
export type Roots = Readonly<Record<string, string>>;

interface Pinned {
  readonly roots: Roots;
  /** The same folders by the names that a hook knows, which may have links in them. */
  readonly known: readonly { named: string; real: string }[];
}

const pinned = new WeakMap<Session, Pinned>();

function pinnedOf(session: Session): Pinned {
  const before = pinned.get(session);
  if (before) return before;
  const folders = Object.entries({ $CWD: session.cwd, $HOME: userFolder(), $TMP: tmpdir() });
  const known = folders.map(([root, named]) => ({ root, named, real: realFolder(named) }));
  const made = { roots: Object.fromEntries(known.map(({ root, real }) => [root, real])), known };
  pinned.set(session, made);
  return made;
}

/** `$CWD` and its kind, as they are when a session first needs them: a folder that replaces one of them is another folder. */
export const rootsIn = (session: Session): Roots => pinnedOf(session).roots;

/** A path by the real name of the session's own folder that it begins with. */
export function throughRoots(path: string, session: Session): string {
  for (const { named, real } of pinnedOf(session).known) {
    if (path === named) return real;
    if (path.startsWith(named + sep)) return real + path.slice(named.length);
  }
  return path;
}
