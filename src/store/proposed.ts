import { messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import {
  type Installed,
  idIn,
  isOwnFolder,
  type LockEntry,
  projectKey,
  projectLockPath,
  readLock,
} from "./hooks-lock.ts";
import { looksLikeOwn } from "./own-name.ts";

/** Limits what a repository can propose: each hook is reported at every start. */
export const MAX_PROPOSED = 100;
export const MAX_PROPOSED_BYTES = 1024 * 1024;

/** What a project proposes. Strangers write its lock: a damaged one proposes nothing, with a `problem`. */
export function proposedIn(project: string, home: string): { proposed: Installed; problem?: string } {
  const path = projectLockPath(project);
  if (isOwnFolder(home, project)) return { proposed: new Map() };
  try {
    const proposed = readLock(path, MAX_PROPOSED_BYTES);
    const wrong = [...proposed.keys()].find((id) => idIn(projectKey(project, id), project) !== id || looksLikeOwn(id));
    if (wrong !== undefined)
      throw new Error(`${path}: ${JSON.stringify(cleanLine(wrong, 200))} is not a valid id of a hook`);
    if (proposed.size > MAX_PROPOSED) throw new Error(`${path}: more than ${MAX_PROPOSED} hooks`);
    return { proposed };
  } catch (error) {
    return { proposed: new Map(), problem: messageOf(error) };
  }
}

/** A project's hook: whether a person accepted it, and what the project proposes now. */
export interface OfProject {
  accepted: boolean;
  proposed: LockEntry | undefined;
}
