import { lstatSync, mkdirSync, readlinkSync, renameSync, rmdirSync, type Stats, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fsError } from "./fs-error.ts";
import { typeOf } from "./fs-facts.ts";
import { freeing } from "./fs-freeing.ts";
import { type May, showsMore } from "./fs-grant.ts";
import { checkMovedLink } from "./fs-links.ts";
import { atPath, type CheckedPath, openListing, wayTo } from "./fs-path.ts";
import type { Pieces } from "./fs-work.ts";

const MAX_ENTRIES = 20_000;
/** Characters of the paths of all entries: each repeats those of the folders above it, and all are in one answer. */
const MAX_LISTED = 2_000_000;
/** Entries that are listed in one piece. */
const PIECE = 200;
/** Entries that are removed in one piece: to free a file takes a millisecond for 4 MB. */
const PIECE_REMOVED = 4;
/** Paths that are looked at in one piece. */
const PIECE_CHECKED = 50;

interface Listed {
  /** From the folder that is listed. */
  name: string;
  type: string;
}

/**
 * The entries of a folder, and with `may` those of each folder below it: those that may be read, up to `most` of all, in up to
 * `mostFolders`. They come in the order of their names, a folder's own before those of the folders in it.
 */
function* entriesOf(
  checked: CheckedPath,
  most: number,
  may?: (real: string) => boolean,
  mostFolders = most,
): Pieces<Listed[]> {
  const prefixes = [""];
  const all: Listed[] = [];
  let [count, characters] = [0, 0];
  for (const prefix of prefixes) {
    const entries: (Listed & { isFolder: boolean })[] = [];
    using listing = openListing({ asked: checked.asked, real: join(checked.real, prefix) });
    for (let entry = listing.next(); entry; entry = listing.next()) {
      if (++count % PIECE === 0) yield;
      const name = prefix + entry.name;
      if (may && !may(join(checked.real, name))) continue;
      if (all.length + entries.length === most) throw fsError("EFBIG", `more than ${most} entries, '${checked.asked}'`);
      characters += name.length;
      if (characters > MAX_LISTED)
        throw fsError("EFBIG", `its paths have more than ${MAX_LISTED} characters in all, '${checked.asked}'`);
      entries.push({ name, type: typeOf(entry), isFolder: entry.isDirectory() });
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    all.push(...entries.map(({ name, type }) => ({ name, type })));
    if (may) prefixes.push(...entries.flatMap(({ name, isFolder }) => (isFolder ? [`${name}/`] : [])));
    if (prefixes.length > mostFolders + 1)
      throw fsError("EFBIG", `more than ${mostFolders} folders, '${checked.asked}'`);
  }
  return all;
}

/** The entries of a folder, or with `may` of all those below it that may be read, without those that may not. */
export const list = (checked: CheckedPath, may?: (real: string) => boolean): Pieces<Listed[]> =>
  entriesOf(checked, MAX_ENTRIES, may);

/** Removes a folder with all that is in it, if the grant covers each: nothing before that is known of all. */
function* removeTree(checked: CheckedPath, may: May): Pieces<void> {
  const inside = yield* list(checked, () => true);
  for (const [index, { name }] of inside.entries()) {
    if (index % PIECE_CHECKED === 0) yield;
    if (!may("write", join(checked.real, name)))
      throw fsError("NOT_GRANTED", `${join(checked.asked, name)} is not the hook's to remove`);
  }
  for (const [index, { name, type }] of inside.reverse().entries()) {
    if (index % PIECE_REMOVED === 0) yield;
    const at = { asked: checked.asked, real: join(checked.real, name) };
    if (type === "folder") atPath(at, rmdirSync);
    else yield* unlink(at);
  }
  atPath(checked, rmdirSync);
}

/** Takes the name of a file away, or a link. */
export function* unlink(checked: CheckedPath): Pieces<void> {
  using way = wayTo(checked);
  yield* freeing(way.path, () => {
    unlinkSync(way.path);
    way.check();
  });
}

/** Returns how many folders were made. */
export function makeFolder(checked: CheckedPath, recursive: boolean, mode: number, may: May): number {
  if (!recursive) {
    atPath(checked, (path) => mkdirSync(path, mode));
    return 1;
  }
  const missing: string[] = [];
  for (let folder = checked.real; !lstatSync(folder, { throwIfNoEntry: false }); folder = dirname(folder))
    missing.push(folder);
  for (const folder of missing.reverse()) {
    if (!may("write", folder)) throw fsError("NOT_GRANTED", `${folder} is not the hook's to make`);
    atPath({ asked: checked.asked, real: folder }, (path) => mkdirSync(path, mode));
  }
  if (missing.length === 0 && !statSync(checked.real).isDirectory())
    throw fsError("EEXIST", "file already exists", "mkdir");
  return missing.length;
}

export function* remove(checked: CheckedPath, recursive: boolean, force: boolean, may: May): Pieces<void> {
  const status = statusOf(checked);
  if (!status && force) return;
  if (!status) throw fsError("ENOENT", "no such file or directory", "rm");
  if (!status.isDirectory()) yield* unlink(checked);
  else if (recursive) yield* removeTree(checked, may);
  else throw fsError("EISDIR", "is a directory", "rm");
}

/** `undefined` for what is not there, nor its folder. */
function statusOf(checked: CheckedPath): Stats | undefined {
  try {
    return atPath(checked, (path) => lstatSync(path, { throwIfNoEntry: false }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Entries of a folder that can be moved: listed again in one go, so that nothing is put there in between. */
const MAX_MOVED = 2000;
/** Folders among them: each is opened, which takes a tenth of a millisecond. */
const MAX_MOVED_FOLDERS = 400;
/** Names in the paths of all of them: each is looked at. */
const MAX_MOVED_NAMES = 6000;

function atOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const step = pieces.next();
    if (step.done) return step.value;
  }
}

/** Throws `EBUSY` while a program of the hook's opens files by paths that were looked at: by a link, they would lead elsewhere. */
export function refuseHeld(isHeld: () => boolean, { asked }: CheckedPath): void {
  if (isHeld())
    throw fsError("EBUSY", `a program that was told paths runs: no link or folder takes another place, '${asked}'`);
}

/** Moves a file or folder. What may not be read where it is may not be moved to where it may, or where a program shows it. */
export function* move(from: CheckedPath, to: CheckedPath, may: May, isHeld: () => boolean = () => false): Pieces<void> {
  const status = atPath(from, (path) => lstatSync(path));
  const entries = () => entriesOf(from, MAX_MOVED, () => true, MAX_MOVED_FOLDERS);
  const inside = status.isDirectory() ? yield* entries() : [];
  const names = inside.reduce((sum, { name }) => sum + name.split("/").length, 0);
  if (names > MAX_MOVED_NAMES)
    throw fsError("EFBIG", `its paths have more than ${MAX_MOVED_NAMES} names in all, '${from.asked}'`);
  const check = (part: string, isLink: boolean): void => {
    const [here, there] = [join(from.real, part), join(to.real, part)];
    if (!may("write", here) || !may("write", there) || showsMore(may, here, there))
      throw fsError("NOT_GRANTED", `${join(from.asked, part)} is not the hook's to move there`);
    if (isLink) checkMovedLink(from.real, here, there, may, join(from.asked, part));
  };
  /** What is inside, as it was looked at: a link by its text. */
  const known = new Map<string, string>();
  const looksLike = ({ name, type }: Listed): string =>
    type === "link" ? `link ${readlinkSync(join(from.real, name))}` : type;
  for (const [index, entry] of inside.entries()) {
    // Where a link leads may take many looks.
    if (index % PIECE_CHECKED === 0 || entry.type === "link") yield;
    known.set(entry.name, looksLike(entry));
    check(entry.name, entry.type === "link");
  }
  // What follows is one piece, so that nothing comes in between.
  const moved = atPath(from, (path) => lstatSync(path));
  if (!moved.isFile()) refuseHeld(isHeld, from);
  check("", moved.isSymbolicLink());
  for (const entry of status.isDirectory() ? atOnce(entries()) : [])
    if (known.get(entry.name) !== looksLike(entry))
      throw fsError("EBUSY", `'${from.asked}' changed while it was looked at`);
  using way = wayTo(to);
  yield* freeing(way.path, () => {
    atPath(from, (old) => renameSync(old, way.path));
    way.check();
  });
}
