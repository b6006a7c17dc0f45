import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { userFolder } from "./user-folder.ts";

/** Spaces that pi reads as a plain space in a configured path. */
const UNICODE_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** A configured path made absolute: `~` is home, relative ones start at `cwd`. */
export function resolveHookPath(path: string, cwd: string): string {
  const plain = path.replace(UNICODE_SPACES, " ");
  if (plain.startsWith("~")) return join(userFolder(), plain.slice(1));
  return isAbsolute(plain) ? plain : resolve(cwd, plain);
}

/** A folder and those that contain it, up to the root of the disk. */
export function* foldersUp(folder: string): Generator<string> {
  yield folder;
  if (dirname(folder) !== folder) yield* foldersUp(dirname(folder));
}

/** The real path. A file that is gone keeps its name under its real folder. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

/** With `/` between its parts on every system. */
export const slashed = (path: string): string => (process.platform === "win32" ? path.replaceAll("\\", "/") : path);
