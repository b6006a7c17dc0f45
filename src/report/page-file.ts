import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeAtomically } from "../disk/atomic-file.ts";
import { inHome } from "../disk/home.ts";
import { MARK } from "./page/page.ts";

/** Where a report is written unless a person names a file. */
export const usualPagePath = (home: string): string => join(inHome(home, "reports"), "report.html");

/**
 * Writes a page with mode 0600. Throws, and changes nothing, if the path is a link, is in no folder, or has a file that is
 * no report: before it writes, and again right before the file gets its name.
 *
 * @param folder a folder of Cordon's own that may not be a link either; it is created
 */
export function writePage(path: string, page: string, folder?: string): void {
  const check = (): void => {
    if (folder !== undefined) refuseLink(folder);
    else if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`${dirname(path)}: no such folder`);
    refuseOther(path);
  };
  check();
  writeAtomically(path, page, 0o600, check);
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(`${path} is a link: no report is written through one; remove it, or name another file with --out`);
}

/** Throws unless nothing is at a path, or a report. */
function refuseOther(path: string): void {
  refuseLink(path);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    const start = Buffer.alloc(Buffer.byteLength(MARK));
    const isReport = fstatSync(file).isFile() && readSync(file, start, 0, start.length, 0) === start.length;
    if (!isReport || start.toString() !== MARK)
      throw new Error(`${path} is no report of Cordon's, and is left as it is; name another file with --out`);
  } finally {
    closeSync(file);
  }
}
