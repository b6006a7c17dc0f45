import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { readIfThere, writeAtomically } from "../atomic-file.ts";
import { CordonError } from "../errors.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { grantsPath, grantsText, parseGrants, readGrants } from "../grants/grants-file.ts";
import { closed } from "../grants/schema.ts";
import { withLock } from "../lock-file.ts";
import { type LockEntry, lockPath, lockText, parseLock, readLock } from "./hooks-lock.ts";

const journalPath = (home: string): string => join(home, "install.journal");

/** Whether a change was cut short, or is being made. */
export const hasJournal = (home: string): boolean => existsSync(journalPath(home));

/**
 * Changes what is installed and what is granted as one: a machine that loses power in between has the one or the other
 * state, whole. Throws what `change` throws, and then nothing was changed.
 */
export function commit(
  home: string,
  change: (installed: Map<string, LockEntry>, grants: Map<string, GrantEntry>) => void,
): void {
  const files = { lock: lockPath(home), grants: grantsPath(home) };
  withLock(files.lock, () =>
    withLock(files.grants, () => {
      finish(home);
      const installed = new Map(readLock(files.lock));
      const grants = new Map(readGrants(files.grants, false));
      change(installed, grants);
      const journal = { lock: lockText(installed), grants: grantsText(grants) };
      writeAtomically(journalPath(home), JSON.stringify(journal));
      finish(home);
    }),
  );
}

/** Completes a change that was cut short. Called before anything of the installed hooks is read. */
export function finishCommit(home: string): void {
  if (readIfThere(journalPath(home)) === undefined) return;
  withLock(lockPath(home), () => withLock(grantsPath(home), () => finish(home)));
}

/** Reads what is installed and what is granted as they were at one moment; `read` may run more than once for that. */
export function atOneMoment<T>(home: string, read: () => T): T {
  for (;;) {
    finishCommit(home);
    const before = readIfThere(lockPath(home));
    const value = read();
    if (!hasJournal(home) && readIfThere(lockPath(home)) === before) return value;
  }
}

const Journal = Compile(Type.Object({ lock: Type.String(), grants: Type.String() }, closed));

function finish(home: string): void {
  const path = journalPath(home);
  const text = readIfThere(path);
  if (text === undefined) return;
  let journal: unknown;
  try {
    journal = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (!Journal.Check(journal)) throw new CordonError("BAD_MANIFEST", `${path}: no journal of Cordon's; remove it`);
  parseLock(journal.lock, `${path}: lock`);
  parseGrants(journal.grants, `${path}: grants`);
  writeAtomically(grantsPath(home), journal.grants);
  writeAtomically(lockPath(home), journal.lock);
  rmSync(journalPath(home), { force: true });
}
