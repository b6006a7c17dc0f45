import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, parse, resolve, sep } from "node:path";
import { fsError } from "./fs-error.ts";

/** A file as a hook named it, and where it really is: no part of `real` was a link when it was looked up. */
export interface CheckedPath {
  readonly asked: string;
  readonly real: string;
}

/** Folders whose files are not files: they speak for the kernel, its devices and other processes. */
const SPECIAL = ["/proc", "/sys", "/dev", "/run/user", "/.vol"];
const MAX_PATH = 4096;
const MAX_NAME = 255;
const MAX_LINKS = 40;
/** Names in one path. What has more is never looked up, so nobody is asked about it either. */
export const MAX_PARTS = 100;

/** Names that Windows takes for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?$/i;

/** Why a path is refused before anything is asked of the file system. */
export function faultOfPath(asked: string): string | undefined {
  if (asked === "" || asked.includes("\0")) return "no path";
  if (asked.length > MAX_PATH) return `longer than ${MAX_PATH} characters`;
  if (asked.split(/[\\/]/).some((part) => part.length > MAX_NAME)) return `a name of more than ${MAX_NAME} characters`;
  if (process.platform === "win32") {
    if (/^[\\/]{2}/.test(asked)) return "a network or device path";
    const parts = asked.replace(/^[A-Za-z]:/, "").split(/[\\/]/);
    if (parts.some((part) => part.includes(":"))) return "a stream of a file";
    if (/~\d/.test(asked)) return "a short name";
    if (parts.some((part) => DEVICE.test(part.replace(/[. ]+$/, "")))) return "a device";
    if (parts.some((part) => /[. ]$/.test(part) && !/^\.{1,2}$/.test(part)))
      return "a name with a trailing dot or space";
  }
  return undefined;
}

/** True for what lies where special files live, whatever it is. */
export const isSpecial = (real: string): boolean =>
  SPECIAL.some((folder) => `${folded(real)}/`.startsWith(`${folder}/`));
/** `/DEV` is `/dev` where letters have no case. */
const folded = (path: string): string => (process.platform === "darwin" ? path.toLowerCase() : path);

/** The path in words of the session: absolute, without `.` and `..` and a separator at its end. */
export const absolute = (asked: string, cwd: string): string => resolve(cwd, asked);

/** What may still be looked at for several paths together, one part of a path after the other. */
export interface Steps {
  left: number;
}

/**
 * Where a path leads, with every link followed but, unless `last`, one in its last part. What is not there yet is taken as
 * it is named. `undefined` for a path with too many parts or links, or if no steps are left: each costs the host's time.
 */
export function realTarget(path: string, last: boolean, all: Steps = { left: MAX_PARTS + 1 }): string | undefined {
  let links = 0;
  let here = parse(path).root;
  const ahead = path.slice(here.length).split(sep).filter(Boolean);
  // Most paths have no link, which one call of the system says.
  if (ahead.length <= MAX_PARTS && isReal(last ? path : dirname(path))) return path;
  for (let steps = 0; ahead.length > 0; steps++) {
    if (steps > MAX_PARTS || ahead.length > MAX_PARTS || all.left-- <= 0) return undefined;
    const next = join(here, ahead.shift() as string);
    const target = ahead.length > 0 || last ? targetOf(next) : undefined;
    if (target === undefined) {
      here = next;
      continue;
    }
    if (++links > MAX_LINKS || faultOfPath(target) !== undefined) return undefined;
    const whole = absolute(target, here);
    here = parse(whole).root;
    ahead.unshift(...whole.slice(here.length).split(sep).filter(Boolean));
  }
  return here;
}

/** The links that a path leads over, by their own real paths, as far as it can be followed. */
export function linksOn(path: string): string[] {
  const links: string[] = [];
  let here = parse(path).root;
  const ahead = path.slice(here.length).split(sep).filter(Boolean);
  for (let steps = 0; ahead.length > 0 && steps <= MAX_PARTS && links.length < MAX_LINKS; steps++) {
    const next = join(here, ahead.shift() as string);
    const target = targetOf(next);
    if (target === undefined) {
      here = next;
      continue;
    }
    links.push(next);
    const whole = absolute(target, here);
    here = parse(whole).root;
    ahead.unshift(...whole.slice(here.length).split(sep).filter(Boolean));
  }
  return links;
}

/** Where a name leads in a folder, whose path has no link. */
export function targetBelow(folder: string, name: string, all?: Steps): string | undefined {
  const path = join(folder, name);
  return targetOf(path) === undefined ? path : realTarget(path, true, all);
}

/** Whether a path is there, and no part of it is a link. */
function isReal(path: string): boolean {
  try {
    return realpathSync.native(path) === path;
  } catch {
    return false;
  }
}

/** `undefined` for what is no link. To hear that from an error takes five times as long as to look first. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const linux = process.platform === "linux";
/** Only a handle of the checked path, no right to read it. */
const O_PATH = 0o10000000;

/** A path that leads to a checked path and to nothing else, until it is disposed of. */
interface Way extends Disposable {
  readonly path: string;
  /** To be called after what is done at the path: throws `ELOOP` if a link came into the way. */
  check(): void;
  /** To be called where others had a turn since: throws `ENOENT` if the folder was moved to another place. */
  stays(): void;
}

/**
 * On Linux the way leads through the folder, which is held open and was reached by no link; elsewhere it is the real path, which
 * is looked up again right before. Throws `ELOOP` when a link came into the way since the path was checked.
 */
export function wayTo(checked: CheckedPath): Way {
  if (!linux) {
    noLinkAbove(checked);
    const check = (): void => noLinkAbove(checked);
    return { path: checked.real, check, stays: check, [Symbol.dispose]: () => {} };
  }
  const folder = holdFolder(dirname(checked.real), checked);
  const path = `/proc/self/fd/${folder}/${basename(checked.real)}`;
  const stays = (): void => {
    if (readlinkSync(`/proc/self/fd/${folder}`) === dirname(checked.real)) return;
    throw fsError("ENOENT", `its folder was moved, open '${checked.asked}'`);
  };
  return { path, check: () => {}, stays, [Symbol.dispose]: () => closeSync(folder) };
}

/** Calls `act` with {@link wayTo} a checked path. */
export function atPath<T>(checked: CheckedPath, act: (path: string) => T): T {
  using way = wayTo(checked);
  const done = act(way.path);
  way.check();
  return done;
}

/** Calls `act` with a path of a checked folder itself, which {@link atPath} would reach by its name. */
export const inFolder = <T>(checked: CheckedPath, act: (folder: string) => T): T =>
  atPath({ ...checked, real: join(checked.real, ".cordon") }, (path) => act(dirname(path)));

/** The entries of a checked folder, one after the other: of a folder of millions, the first are there at once. */
export interface Listing extends Disposable {
  next(): Dirent | undefined;
}

export function openListing(checked: CheckedPath): Listing {
  const open = inFolder(checked, (path) => opendirSync(path, { bufferSize: 256 }));
  return { next: () => open.readSync() ?? undefined, [Symbol.dispose]: () => open.closeSync() };
}

/** A descriptor of the folder that a checked path is in; `undefined` outside Linux. Whoever asked for it closes it. */
export const heldFolder = (checked: CheckedPath): number | undefined =>
  linux ? holdFolder(dirname(checked.real), checked) : undefined;

function noLinkAbove(checked: CheckedPath): void {
  const folder = dirname(checked.real);
  if (realpathSync(folder) !== folder) throw changed(checked);
}

const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A descriptor of the folder that is at a path, and not behind a link. */
function holdFolder(path: string, checked: CheckedPath): number {
  return foundFolder(path) ?? walkedFolder(path, checked);
}

/**
 * The folder that the system finds at a path, if that is its own path: the kernel says where a folder that is held open is, and
 * says no link. `undefined` for any other, whatever the reason.
 */
function foundFolder(path: string): number | undefined {
  let held: number | undefined;
  try {
    held = openSync(path, FOLDER);
    if (readlinkSync(`/proc/self/fd/${held}`) === path) return held;
  } catch {
    // The walk tells what is wrong.
  }
  if (held !== undefined) closeSync(held);
  return undefined;
}

/** A folder that is reached from the root one part at a time, so that the part at fault is known. */
function walkedFolder(path: string, checked: CheckedPath): number {
  let held = openSync("/", FOLDER);
  for (const part of path.split("/").filter(Boolean)) {
    let next: number;
    try {
      next = openSync(`/proc/self/fd/${held}/${part}`, FOLDER);
    } catch (error) {
      closeSync(held);
      // A link is no folder by these flags.
      const isLink = (error as NodeJS.ErrnoException).code === "ENOTDIR" && realTarget(path, true) !== path;
      throw isLink ? changed(checked) : error;
    }
    closeSync(held);
    held = next;
  }
  return held;
}

const changed = (checked: CheckedPath): Error => fsError("ELOOP", `a link came into the way, open '${checked.asked}'`);

/** Opens a regular file at a checked path: no link, pipe, device or socket. `alone`: no other name may lead to it. */
export function openFile(
  checked: CheckedPath,
  flags: number,
  options: { alone?: boolean; mode?: number } = {},
): number {
  return atPath(checked, (path) => {
    const file = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), options.mode);
    try {
      const status = fstatSync(file);
      if (status.isDirectory()) throw fsError("EISDIR", `illegal operation on a directory, read '${checked.asked}'`);
      if (!status.isFile()) throw fsError("EINVAL", `not a regular file, open '${checked.asked}'`);
      if (options.alone && status.nlink > 1)
        throw fsError("EMLINK", `the file has several names, open '${checked.asked}'`);
      if (!linux) noLinkAbove(checked);
      if (!linux && !sameFile(fstatSync(file), lstatSync(checked.real))) throw changed(checked);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return file;
  });
}

/** Calls `act` with a descriptor of what is at a checked path: a folder, or a regular file with no other name. */
export function withEntry(checked: CheckedPath, act: (entry: number) => void): void {
  const isFolder = atPath(checked, (path) => lstatSync(path)).isDirectory();
  const entry = isFolder ? openFolder(checked) : openFile(checked, constants.O_RDONLY, { alone: true });
  try {
    act(entry);
  } finally {
    closeSync(entry);
  }
}

/** Not a link, nor what took the folder's place. */
const openFolder = (checked: CheckedPath): number =>
  atPath(checked, (path) => openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW));

function sameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
