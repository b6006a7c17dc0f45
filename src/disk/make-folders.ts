import { existsSync, mkdirSync } from "node:fs";
import { foldersUp } from "./paths.ts";

/** Makes a folder of the user's alone, with those above it. Throws the system's error. */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Node says so of a read-only file system, too. The first folder that is lacking, made alone, says why.
    const lacking = [...foldersUp(path)].findLast((folder) => !existsSync(folder));
    if (lacking !== undefined) mkdirSync(lacking, { mode: 0o700 });
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}
