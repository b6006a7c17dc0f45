import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fsError } from "./fs-error.ts";
import { typeOf } from "./fs-facts.ts";
import type { May } from "./fs-grant.ts";
import { checkMovedLink } from "./fs-links.ts";
import { atPath, type CheckedPath, inFolder } from "./fs-path.ts";

const MAX_ENTRIES = 20_000;
/** Folders that are listed before the agent has a turn. */
const FOLDERS_AT_ONCE = 20;

interface Listed {
  /** From the folder that is listed. */
  name: string;
  type: string;
}

/** The entries of a folder, then with `may` of each folder below it: those that may be read, up to `most` of all. */
function* folders(checked: CheckedPath, most: number, may?: (real: string) => boolean): Generator<Listed[]> {
  const prefixes = [""];
  let count = 0;
  for (const prefix of prefixes) {
    const entries: Listed[] = [];
    for (const entry of entriesOf({ asked: checked.asked, real: join(checked.real, prefix) })) {
      const name = prefix + entry.name;
      if (may && !may(join(checked.real, name))) continue;
      if (++count > most) throw fsError("EFBIG", `more than ${most} entries, '${checked.asked}'`);
      entries.push({ name, type: typeOf(entry) });
      if (may && entry.isDirectory()) prefixes.push(`${name}/`);
    }
    yield entries;
  }
}

/** The entries of a folder, or with `may` of all those below it that may be read, without those that may not. */
export async function list(checked: CheckedPath, may?: (real: string) => boolean): Promise<Listed[]> {
  const found: Listed[][] = [];
  for (const entries of folders(checked, MAX_ENTRIES, may)) {
    found.push(entries);
    if (found.length % FOLDERS_AT_ONCE === 0) await setImmediate();
  }
  return found.flat();
}

const entriesOf = (folder: CheckedPath): Dirent[] =>
  inFolder(folder, (path) => readdirSync(path, { withFileTypes: true }));

/** Removes a folder with all that is in it, if the grant covers each: nothing before that is known of all. */
async function removeTree(checked: CheckedPath, may: May): Promise<void> {
  const inside = await list(checked, () => true);
  const refused = inside.find(({ name }) => !may("write", join(checked.real, name)));
  if (refused) throw fsError("NOT_GRANTED", `${join(checked.asked, refused.name)} is not the hook's to remove`);
  for (const { name, type } of inside.reverse()) {
    const at = { asked: checked.asked, real: join(checked.real, name) };
    atPath(at, type === "folder" ? rmdirSync : unlinkSync);
  }
  atPath(checked, rmdirSync);
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

export async function remove(checked: CheckedPath, recursive: boolean, force: boolean, may: May): Promise<void> {
  const status = statusOf(checked);
  if (!status && force) return;
  if (!status) throw fsError("ENOENT", "no such file or directory", "rm");
  if (!status.isDirectory()) atPath(checked, unlinkSync);
  else if (recursive) await removeTree(checked, may);
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

/** Entries of a folder that can be moved: looked at in one go, so that nothing is put there in between. */
const MAX_MOVED = 2000;

/** Moves a file or folder. What may not be read where it is may not be moved to where it may. */
export function move(from: CheckedPath, to: CheckedPath, may: May): void {
  const status = atPath(from, (path) => lstatSync(path));
  const inside = status.isDirectory() ? [...folders(from, MAX_MOVED, () => true)].flat() : [];
  const links = new Set(inside.flatMap(({ name, type }) => (type === "link" ? [name] : [])));
  if (status.isSymbolicLink()) links.add("");
  for (const part of ["", ...inside.map(({ name }) => name)]) {
    const [here, there] = [join(from.real, part), join(to.real, part)];
    if (!may("write", here) || !may("write", there) || (may("read", there) && !may("read", here)))
      throw fsError("NOT_GRANTED", `${join(from.asked, part)} is not the hook's to move there`);
    if (links.has(part)) checkMovedLink(from.real, here, there, may, join(from.asked, part));
  }
  atPath(from, (old) => atPath(to, (next) => renameSync(old, next)));
}
