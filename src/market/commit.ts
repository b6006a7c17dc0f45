import { rmSync } from "node:fs";
import { join } from "node:path";
import { readIfThere, writeAtomically } from "../atomic-file.ts";
import { CordonError } from "../errors.ts";
import type { GrantEntry } from "../grants/grant.ts";
import { grantsText, readGrants } from "../grants/grants-file.ts";
import { withLock } from "../lock-file.ts";
import { type LockEntry, lockPath, lockText, readLock } from "./hooks-lock.ts";

const journalPath = (home: string): string => join(home, "install.journal");

/**
 * Changes what is installed and what is granted as one: a machine that loses power in between has the one or the other
 * state, whole. Throws what `change` throws, and then nothing was changed.
 */
export function commit(
  home: string,
  change: (installed: Map<string, LockEntry>, grants: Map<string, GrantEntry>) => void,
): void {
  const files = { lock: lockPath(home), grants: join(home, "grants.json") };
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
  withLock(lockPath(home), () => withLock(join(home, "grants.json"), () => finish(home)));
}

function finish(home: string): void {
  const text = readIfThere(journalPath(home));
  if (text === undefined) return;
  const journal = JSON.parse(text) as { lock?: unknown; grants?: unknown };
  if (typeof journal.lock !== "string" || typeof journal.grants !== "string")
    throw new CordonError("BAD_MANIFEST", `${journalPath(home)}: no journal of Cordon's; remove it`);
  writeAtomically(join(home, "grants.json"), journal.grants);
  writeAtomically(lockPath(home), journal.lock);
  rmSync(journalPath(home), { force: true });
}
