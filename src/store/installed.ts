import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { realPathOf } from "../disk/paths.ts";
import type { Found } from "../host/discover.ts";
import {
  type Installed,
  idIn,
  isOwnFolder,
  type LockEntry,
  packageFolder,
  projectKey,
  projectLockPath,
  readLock,
} from "./hooks-lock.ts";
import { finishLeftCommit, readInstalled } from "./journal.ts";
import { looksLikeOwn } from "./own-name.ts";

/** A repository could propose thousands, and each is told of at every start. */
export const MAX_PROPOSED = 100;
export const MAX_PROPOSED_BYTES = 1024 * 1024;

/** What a project proposes. Its file is a stranger's: one that is damaged proposes nothing. */
export function proposedIn(project: string, home: string): { proposed: Installed; problem?: string } {
  const path = projectLockPath(project);
  if (isOwnFolder(home, project)) return { proposed: new Map() };
  try {
    const proposed = readLock(path, MAX_PROPOSED_BYTES);
    const wrong = [...proposed.keys()].find((id) => idIn(projectKey(project, id), project) !== id || looksLikeOwn(id));
    if (wrong !== undefined)
      return {
        proposed: new Map(),
        problem: `${path}: ${JSON.stringify(cleanLine(wrong, 200))} is no id that a hook may have`,
      };
    if (proposed.size <= MAX_PROPOSED) return { proposed };
    return { proposed: new Map(), problem: `${path}: more than ${MAX_PROPOSED} hooks` };
  } catch (error) {
    return { proposed: new Map(), problem: messageOf(error) };
  }
}

/** A hook of a lock: the user's own, or of the project that a session is in. */
export interface InstalledHook extends Found {
  id: string;
  /** Its name in the user's lock and grants. */
  key: string;
}

/**
 * Installed hooks, in the order of their names: the user's own, then the project's. What a person accepted of a project
 * stands in the user's own lock, and goes on guarding whatever becomes of the project's.
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

/** A project's hook: whether a person accepted it, and what the project proposes now. */
export interface OfProject {
  accepted: boolean;
  proposed: LockEntry | undefined;
}

function hookOf(home: string, id: string, key: string, entry: LockEntry, ofProject?: OfProject): InstalledHook {
  const folder = packageFolder(home, entry);
  const path = join(folder, entry.file);
  const origin = { kind: "installed", folder, entry, ...(ofProject ? { ofProject } : {}) } as const;
  return { id, key, path, realPath: path, origin };
}
