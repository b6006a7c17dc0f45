import { join } from "node:path";
import type { Found } from "../discover/discover.ts";
import { finishCommit } from "./commit.ts";
import { lockPath, packageFolder, readLock } from "./hooks-lock.ts";

/** The user's installed hooks, in the order of their ids. */
export function installedHooks(home: string): (Found & { id: string })[] {
  finishCommit(home);
  return [...readLock(lockPath(home))].map(([id, entry]) => {
    const folder = packageFolder(home, entry.package, entry.integrity);
    const path = join(folder, entry.file);
    return { id, path, realPath: path, origin: { kind: "installed", folder, entry } };
  });
}
