import { dirname } from "node:path";
import { writeAtomically } from "../disk/atomic-file.ts";
import { withLock } from "../disk/lock-file.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { type Grants, grantsPath, grantsText, parseGrants, readGrants } from "./grants-text.ts";
import { finishCommit, hasJournal, journalIn, journalPath } from "./journal.ts";

/** What the user decided, as far as it was: also where a change is just being put in its place. */
export function readUserGrants(home: string): Grants {
  const decided = journalIn(home);
  return decided ? parseGrants(decided.grants, `${journalPath(home)}: grants`) : readGrants(grantsPath(home), false);
}

/** Changes one hook's entry, or takes it out (`undefined`), leaving the others as they are in the file now. */
export function changeGrant(
  path: string,
  key: string,
  change: (entry: GrantEntry | undefined) => GrantEntry | undefined,
): void {
  const attempt = (): boolean =>
    withLock(path, (held) => {
      // A change of what is installed was cut short: what it left to be written would undo this one.
      if (hasJournal(dirname(path))) return false;
      const hooks = new Map(readGrants(path, false));
      const entry = change(hooks.get(key));
      if (entry) hooks.set(key, entry);
      else hooks.delete(key);
      writeAtomically(path, grantsText(hooks), 0o600, held);
      return true;
    });
  while (!attempt()) finishCommit(dirname(path));
}

export const writeGrant = (path: string, key: string, entry: GrantEntry | undefined): void =>
  changeGrant(path, key, () => entry);
