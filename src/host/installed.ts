import { join } from "node:path";
import { realPathOf } from "../disk/paths.ts";
import { idIn, type LockEntry, packageFolder, projectKey } from "../store/hooks-lock.ts";
import { finishLeftCommit, readInstalled } from "../store/journal.ts";
import { type OfProject, proposedIn } from "../store/proposed.ts";
import type { Found } from "./discover.ts";

/** A hook of a lock: the user's own lock, or that of the session's project. */
export interface InstalledHook extends Found {
  id: string;
  /** Its name in the user's lock and grants. */
  key: string;
}

/**
 * Installed hooks by name: the user's own, then the project's. What a person accepted of a project is in the user's own
 * lock, and keeps guarding even if the project's lock changes.
 */
export function installedHooks(home: string, cwd: string): { hooks: InstalledHook[]; problem?: string } {
  finishLeftCommit(home);
  const locked = readInstalled(home);
  const project = realPathOf(cwd);
  const { proposed, problem } = proposedIn(project, home);
  const hooks: InstalledHook[] = [];
  for (const [key, entry] of locked) {
    const id = idIn(key, undefined);
    if (id !== undefined) hooks.push(hookOf(home, id, key, entry));
  }
  for (const [key, entry] of locked) {
    const id = idIn(key, project);
    if (id !== undefined) hooks.push(hookOf(home, id, key, entry, { accepted: true, proposed: proposed.get(id) }));
  }
  for (const [id, entry] of proposed) {
    const key = projectKey(project, id);
    if (!locked.has(key)) hooks.push(hookOf(home, id, key, entry, { accepted: false, proposed: entry }));
  }
  return { hooks, ...(problem === undefined ? {} : { problem }) };
}

function hookOf(home: string, id: string, key: string, entry: LockEntry, ofProject?: OfProject): InstalledHook {
  const folder = packageFolder(home, entry);
  const path = join(folder, entry.file);
  const origin = { kind: "installed", folder, entry, ...(ofProject ? { ofProject } : {}) } as const;
  return { id, key, path, realPath: path, origin };
}
