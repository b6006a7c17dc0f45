import type { Dirent, Stats } from "node:fs";
import { fsError } from "./fs-error.ts";
import type { CheckedPath } from "./fs-path.ts";

/** What `stat` says, with times in ms. Whose files they are is not a hook's to know. */
export function facts(status: Stats): Record<string, unknown> {
  const { mode, nlink, size, blksize, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs, ino, dev } = status;
  return { mode, nlink, size, blksize, blocks, atimeMs, mtimeMs, ctimeMs, birthtimeMs, ino, dev, type: typeOf(status) };
}

/** Links were followed when the path was checked: one that is there now came since. */
export function noLink(status: Stats, { asked }: CheckedPath): Stats {
  if (!status.isSymbolicLink()) return status;
  throw fsError("ELOOP", `a link came into the way, stat '${asked}'`);
}

export const typeOf = (status: Stats | Dirent): "file" | "folder" | "link" | "other" =>
  status.isFile() ? "file" : status.isDirectory() ? "folder" : status.isSymbolicLink() ? "link" : "other";
