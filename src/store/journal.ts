import { existsSync, rmSync } from "node:fs";
import { readJson } from "../../sandbox/wire/read-json.ts";
import type { AuditFact } from "../audit/line.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { compile } from "../base/schema.ts";
import Type from "../base/type.ts";
import { readIfThere, writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { withLock } from "../disk/lock-file.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { closed } from "../grants/schema.ts";
import { decisionFacts, type Standing, type Taken } from "./decision.ts";
import { decisionLogOf, keepDecisions } from "./decision-log.ts";
import { type Grants, grantsPath, hooksText, parseGrants, readGrants } from "./grants-text.ts";
import { type Installed, type LockEntry, lockPath, parseLock, readLock } from "./hooks-lock.ts";

export const journalPath = (home: string): string => inHome(home, "install.journal");

/** True if a change was interrupted, or is being made. */
export const hasJournal = (home: string): boolean => existsSync(journalPath(home));

/**
 * Changes what is installed and what is granted in one step: after a power loss both files are old, or both are new. If
 * `change` throws, nothing is changed. What is decided by that is in the audit first; see {@link keepDecisions}. If there is room for
 * the journal and not for the files, the change counts, the person is told, and whoever comes next completes it.
 *
 * @param patience ms to wait for others
 * @param taken set if a person takes in the hooks whose entries in the lock are replaced
 */
export function commit(
  home: string,
  change: (installed: Map<string, LockEntry>, grants: Map<string, GrantEntry>) => void,
  { patience, taken }: { patience?: number; taken?: Taken } = {},
): void {
  underBoth(home, patience, (held) => {
    finish(home, held);
    const before = { installed: readLock(lockPath(home)), grants: readGrants(grantsPath(home), false) };
    const installed = new Map(before.installed);
    const grants = new Map(before.grants);
    change(installed, grants);
    const log = decisionLogOf(home);
    const done = keepDecisions(decisionsIn(before, { installed, grants }, taken), log);
    const journal = { lock: hooksText(installed), grants: hooksText(grants) };
    writeAtomically(journalPath(home), JSON.stringify(journal), 0o600, held);
    try {
      finish(home, held);
    } catch (error) {
      if (error instanceof CordonError) throw error;
      // The journal has it, and counts.
      log.tell(`this is decided and holds; its files are written once they can be: ${messageOf(error)}`);
    }
    done();
  });
}

interface Both {
  readonly installed: Installed;
  readonly grants: Grants;
}

/** What a person decided about all hooks of which an entry was replaced. */
function decisionsIn(before: Both, after: Both, taken: Taken | undefined): AuditFact[] {
  const keys = new Set([before, after].flatMap(({ installed, grants }) => [...installed.keys(), ...grants.keys()]));
  return [...keys].flatMap((key) => {
    const [was, is] = [before, after].map(({ installed, grants }) => ({
      entry: grants.get(key),
      installed: installed.get(key),
    })) as [Standing, Standing];
    const isTaken = is.installed !== undefined && is.installed !== was.installed;
    return decisionFacts(key, was, is, isTaken ? taken : undefined);
  });
}

/** What is installed, also while a decided change is being written. */
export function readInstalled(home: string): Installed {
  const decided = journalIn(home);
  return decided ? parseLock(decided.lock, `${journalPath(home)}: lock`) : readLock(lockPath(home));
}

/** Completes an interrupted change. Waits for a process that is making one. */
export function finishCommit(home: string): void {
  if (hasJournal(home)) underBoth(home, undefined, (held) => finish(home, held));
}

/** Completes an interrupted change, unless a process is making it: its journal has what it decided. */
export function finishLeftCommit(home: string): void {
  if (journalIn(home) === undefined) return;
  try {
    underBoth(home, 0, (held) => finish(home, held));
  } catch (error) {
    if (error instanceof CordonError) throw error;
  }
}

/** Reads what is installed and what is granted at one moment. `read` may run more than once. */
export function atOneMoment<T>(home: string, read: () => T): T {
  const stamp = (): string => `${readIfThere(journalPath(home))}\0${readIfThere(lockPath(home))}`;
  for (;;) {
    finishLeftCommit(home);
    const before = stamp();
    const value = read();
    if (stamp() === before) return value;
  }
}

function underBoth(home: string, patience: number | undefined, act: (held: () => void) => void): void {
  const underLock = (lockHeld: () => void): void => {
    const underGrants = (grantsHeld: () => void): void =>
      act(() => {
        lockHeld();
        grantsHeld();
      });
    withLock(grantsPath(home), underGrants, patience);
  };
  withLock(lockPath(home), underLock, patience);
}

const Journal = compile(Type.Object({ lock: Type.String(), grants: Type.String() }, closed));

/** The change that was decided, and that may not be written yet. Throws `BAD_GRANT` for a file that is no journal. */
export function journalIn(home: string): { lock: string; grants: string } | undefined {
  const path = journalPath(home);
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  let journal: unknown;
  try {
    journal = readJson(text);
  } catch {
    // Refused below.
  }
  if (!Journal.Check(journal)) throw new CordonError("BAD_GRANT", `${path}: not a journal; remove it`);
  return journal;
}

function finish(home: string, held: () => void): void {
  const journal = journalIn(home);
  if (!journal) return;
  const path = journalPath(home);
  parseLock(journal.lock, `${path}: lock`);
  parseGrants(journal.grants, `${path}: grants`);
  writeAtomically(grantsPath(home), journal.grants, 0o600, held);
  writeAtomically(lockPath(home), journal.lock, 0o600, held);
  held();
  rmSync(path, { force: true });
}
