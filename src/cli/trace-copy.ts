import { copyFileSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolders } from "../disk/make-folders.ts";

/** What a hook is tried with beside its own file: a project, and not a disk. */
const MAX_FILES = 5000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Nobody's own work, and large. */
const LEFT_OUT = new Set(["node_modules"]);

/** A copy of a folder that a hook may write to. */
export interface FolderCopy {
  /** Real path. */
  readonly path: string;
  remove(): void;
}

/** Copies the regular files of a folder into a temporary one; links and special files stay out. `undefined` if it is too large. */
export function copyOf(folder: string): FolderCopy | undefined {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "cordon-trace-")));
  const left = { files: MAX_FILES, bytes: MAX_BYTES };
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const fits = (from: string, to: string): boolean => {
    makeFolders(to);
    return readdirSync(from).every((name) => {
      if (LEFT_OUT.has(name)) return true;
      const status = lstatSync(join(from, name), { throwIfNoEntry: false });
      if (status?.isDirectory()) return --left.files >= 0 && fits(join(from, name), join(to, name));
      if (!status?.isFile()) return true;
      left.bytes -= status.size;
      if (--left.files < 0 || left.bytes < 0) return false;
      copyFileSync(join(from, name), join(to, name));
      return true;
    });
  };
  try {
    if (fits(folder, path)) return { path, remove };
  } catch {
    // A file that cannot be read, or a folder that changes meanwhile: it is tried without.
  }
  remove();
  return undefined;
}
