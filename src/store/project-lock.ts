import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { CordonError } from "../base/errors.ts";
import { removeDrafts, writeAtomically } from "../disk/atomic-file.ts";
import { withPatientLock } from "../disk/lock-file.ts";
import { hooksText } from "./grants-text.ts";
import { type LockEntry, projectLockPath, readLock } from "./hooks-lock.ts";
import { MAX_PROPOSED, MAX_PROPOSED_BYTES } from "./proposed.ts";

/**
 * Changes what a project proposes to everybody who works on it. One that proposes nothing has no lock. Throws `BAD_GRANT`
 * for a lock that is damaged, and where a link would lead out of the project.
 */
export function changeProposals(project: string, change: (proposed: Map<string, LockEntry>) => void): void {
  const path = projectLockPath(project);
  const folder = dirname(path);
  const status = lstatSync(folder, { throwIfNoEntry: false });
  if (status && !status.isDirectory())
    throw new CordonError("BAD_GRANT", `${folder} is not a folder: nothing is written there`);
  mkdirSync(folder, { recursive: true });
  withPatientLock(path, (held) => {
    const proposed = new Map(readLock(path));
    change(proposed);
    removeDrafts(folder);
    const text = hooksText(proposed);
    if (proposed.size > MAX_PROPOSED || Buffer.byteLength(text) > MAX_PROPOSED_BYTES)
      throw new CordonError("BAD_GRANT", `${path} would be larger than a project's lock may be`);
    if (proposed.size > 0) writeAtomically(path, text, 0o644, held);
    else rmSync(path, { force: true });
  });
  if (!existsSync(path) && readdirSync(folder).length === 0) rmdirSync(folder);
}
