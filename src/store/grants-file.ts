import { dirname } from "node:path";
import { writeAtomically } from "../disk/atomic-file.ts";
import { withLock } from "../disk/lock-file.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { refineCapabilities } from "../grants/schema.ts";
import { decisionFacts, type Taken } from "./decision.ts";
import { type DecisionLog, decisionLogOf, keepDecisions } from "./decision-log.ts";
import { type Grants, grantsPath, hooksText, parseGrants, readGrants } from "./grants-text.ts";
import { finishCommit, hasJournal, journalIn, journalPath } from "./journal.ts";

/** The user's grants, also while a decided change is being written. */
export function readUserGrants(home: string): Grants {
  const decided = journalIn(home);
  return decided ? parseGrants(decided.grants, `${journalPath(home)}: grants`) : readGrants(grantsPath(home), false);
}

/**
 * Changes the entry of one hook, or removes it (`undefined`). The other entries stay as they are in the file now. What is decided
 * by that is in the audit first; see {@link keepDecisions}.
 *
 * @param taken set if the person takes in the hook
 * @param log left out: the audit of the home
 */
export function changeGrant(
  path: string,
  key: string,
  change: (entry: GrantEntry | undefined) => GrantEntry | undefined,
  { taken, log = decisionLogOf(dirname(path)) }: { taken?: Taken; log?: DecisionLog } = {},
): void {
  const attempt = (): boolean =>
    withLock(path, (held) => {
      // A change of what is installed was interrupted: completing it later would undo this change.
      if (hasJournal(dirname(path))) return false;
      const hooks = new Map(readGrants(path, false));
      const before = hooks.get(key);
      const entry = change(before);
      if (entry) hooks.set(key, entry);
      else hooks.delete(key);
      // A power that the next session could not read would keep every hook from starting.
      refineCapabilities(entry?.capabilities ?? {}, `${path}: ${key}`, "BAD_GRANT");
      const done = keepDecisions(decisionFacts(key, { entry: before }, { entry }, taken), log);
      writeAtomically(path, hooksText(hooks), 0o600, held);
      done();
      return true;
    });
  while (!attempt()) finishCommit(dirname(path));
}

export const writeGrant = (path: string, key: string, entry: GrantEntry | undefined): void =>
  changeGrant(path, key, () => entry);
