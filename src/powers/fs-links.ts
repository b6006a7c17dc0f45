import { linkSync, lstatSync, readlinkSync, realpathSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fsError } from "./fs-error.ts";
import { type May, showsMore } from "./fs-grant.ts";
import { atPath, type CheckedPath, faultOfPath, isSpecial, MAX_PARTS } from "./fs-path.ts";
import type { FsRight } from "./fs-refused-names.ts";

/** Throws where no link may be, whatever was granted. */
function checkPlace(may: May, real: string, asked: string): void {
  if (!may("link", real))
    throw fsError("EPERM", `no link is put where programs look for code or settings, symlink '${asked}'`);
}

/** False for a text of which a name and the kernel's walk make two paths: `..` behind a name that could be a link. */
export function isPlain(text: string): boolean {
  const parts = text.split(/[\\/]+/).filter((part) => part !== "" && part !== ".");
  const named = parts.findIndex((part) => part !== "..");
  return named < 0 || !parts.slice(named).includes("..");
}

/** Where a text leads from a real folder, by its name. */
const namedFrom = (folder: string, text: string): string => (isAbsolute(text) ? resolve(text) : resolve(folder, text));

/**
 * True if a link with this text, in this real folder, leads to what a grant covers: by its name, and where the kernel would go
 * now. What is not there yet counts as it is named, and nothing else may be in the way there. Of a folder, its content is granted.
 */
export function leadsWithin(folder: string, text: string, may: May, right: FsRight = "write"): boolean {
  const named = namedFrom(folder, text);
  // The kernel refuses an empty text itself.
  if ((text !== "" && faultOfPath(text) !== undefined) || named.split(sep).length > MAX_PARTS) return false;
  // Looked at first: what lies elsewhere is not the hook's to find out.
  if (!may(right, named)) return false;
  const real = whereItLeads(named);
  if (real === undefined || isSpecial(real) || !may(right, real)) return false;
  return !statSync(real, { throwIfNoEntry: false })?.isDirectory() || may(right, join(real, "any"));
}

/** The real path, up to the last part that exists; `undefined` if a link on the way leads to nothing, or if it is no path. */
function whereItLeads(path: string): string | undefined {
  const missing: string[] = [];
  for (let here = path; ; here = dirname(here)) {
    try {
      const real = realpathSync.native(here);
      if (missing.length > 0 && !statSync(real).isDirectory()) return undefined;
      return join(real, ...missing);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(here) === here) return undefined;
      if (lstatSync(here, { throwIfNoEntry: false })) return undefined;
      missing.unshift(basename(here));
    }
  }
}

export const readLink = (checked: CheckedPath): string => atPath(checked, (path) => readlinkSync(path));

/** Makes a link. Where it leads was checked before, and is looked at again: a folder on the way may have become a link. */
export function makeLink(checked: CheckedPath, text: string, may: May): void {
  if (!isPlain(text))
    throw fsError("EINVAL", `a link may have .. at its beginning alone, symlink '${text.slice(0, 200)}'`);
  checkPlace(may, checked.real, checked.asked);
  if (!leadsWithin(dirname(checked.real), text, may)) throw outside(checked.asked);
  atPath(checked, (path) => symlinkSync(text, path));
}

const outside = (asked: string): Error =>
  fsError("NOT_GRANTED", `${asked} would lead to what is not the hook's to write`);

/** Gives a regular file a second name. What may not be read by the one may not be read by the other, nor shown by a program. */
export function giveName(from: CheckedPath, to: CheckedPath, may: May): void {
  if (showsMore(may, from.real, to.real))
    throw fsError("NOT_GRANTED", `${from.asked} is not the hook's to read by another name`);
  atPath(from, (old) =>
    atPath(to, (next) => {
      const { dev, ino } = plainFile(old, from);
      linkSync(old, next);
      // What took its place in between got the name.
      const made = lstatSync(next);
      if (made.dev === dev && made.ino === ino) return;
      unlinkSync(next);
      throw fsError("ELOOP", `it was replaced meanwhile, link '${from.asked}'`);
    }),
  );
}

/** A file with several names may be one of another folder's, which nobody granted. */
function plainFile(path: string, { asked }: CheckedPath): { dev: number; ino: number } {
  const status = lstatSync(path);
  if (status.isDirectory()) throw fsError("EPERM", `operation not permitted, link '${asked}'`);
  if (!status.isFile()) throw fsError("EINVAL", `not a regular file, link '${asked}'`);
  if (status.nlink > 1) throw fsError("EMLINK", `the file has several names, link '${asked}'`);
  return status;
}

/**
 * Throws if a link may not be where it is moved to, or would lead to what is not the hook's: elsewhere than before, to what no write grant
 * covers, or to what no grant covers at all. A program opens what it is told by a path that was looked at, and follows what was moved there
 * meanwhile.
 *
 * @param moved the real path of what is moved as a whole: what a link finds inside of it goes with it
 */
export function checkMovedLink(moved: string, here: string, there: string, may: May, asked: string): void {
  checkPlace(may, there, asked);
  const text = readlinkSync(here);
  const [before, after] = [namedFrom(dirname(here), text), namedFrom(dirname(there), text)];
  const staysInside = here !== moved && isPlain(text) && `${before}${sep}`.startsWith(`${moved}${sep}`);
  if (staysInside) return;
  if (isPlain(text) && leadsWithin(dirname(there), text, may)) return;
  if (before !== after || !isPlain(text) || !leadsWithin(dirname(here), text, may, "read")) throw outside(asked);
}
