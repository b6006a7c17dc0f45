import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { makeFolders } from "./make-folders.ts";
import { foldersUp } from "./paths.ts";
import { uniqueName, whereabouts } from "./process-owner.ts";

/**
 * Writes a file so that a reader sees the old or the new content, whatever happens in between. Creates its folder. Replaces a
 * link, and never writes through it.
 *
 * @param check called right before the rename. If it throws, since a lock was lost, nothing is changed
 */
export function writeAtomically(path: string, content: string, mode = 0o600, check = (): void => {}): void {
  replace(path, content, mode, (file) => {
    fsyncSync(file);
    check();
  });
}

/**
 * The same for what is made anew if it is lost: after a power loss the file may be broken, which its reader has to see. It does not
 * wait for the disk, which takes 2 ms and more.
 */
export function writeForNow(path: string, content: string): void {
  replace(path, content, 0o600, () => {});
}

/** `written`: called with the new file before it takes the old one's place. If it throws, nothing is changed. */
function replace(path: string, content: string, mode: number, written: (file: number) => void): void {
  makeFolders(dirname(path));
  const draft = `${path}.${uniqueName()}.tmp`;
  try {
    const file = openSync(draft, "wx", mode);
    try {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      written(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Removes the drafts that killed processes left in a folder: of {@link writeAtomically}, or folders that were written alike. */
export function removeDrafts(folder: string, start = ""): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start)) continue;
    const [, owner = ""] = /\.([^.]+)\.[0-9a-f]{8}\.tmp$/.exec(name) ?? [];
    if (whereabouts(owner) === "gone") rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The largest file that Cordon writes and reads: a bundle with its map. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The text of a file, or `undefined` if there is no file. Throws for other errors, for a link that leads to nothing, and for anything
 * but a regular file: a pipe or a device at this path could block the agent forever.
 */
export const readIfThere = (path: string, maxBytes = MAX_BYTES): string | undefined =>
  bytesIfThere(path, maxBytes)?.toString("utf8");

/** The same as bytes. */
export function bytesIfThere(path: string, maxBytes = MAX_BYTES): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    refuseBroken(path);
    return undefined;
  }
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new Error(`${path}: not a regular file`);
    if (status.size > maxBytes) throw new Error(`${path}: larger than ${maxBytes} bytes`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The same for a file that is written again after an edit. Throws for bytes that are no UTF-8, too: they would be lost. */
export function readToEdit(path: string): string | undefined {
  const text = readIfThere(path);
  if (text?.includes("\ufffd") && !isUtf8(readFileSync(path)))
    throw new Error(`${path}: it is not UTF-8, and would be damaged by an edit; convert it first`);
  return text;
}

/** Throws if something is there that keeps a path from being read: somebody meant a file, and it must not count as none. */
function refuseBroken(path: string): void {
  const parts = [...foldersUp(path)];
  const status = (at: string, look: typeof statSync): Stats | undefined =>
    attemptOr(() => look(at, { throwIfNoEntry: false }), undefined);
  const at = parts.find((part) => status(part, lstatSync));
  if (at === undefined) return;
  const found = status(at, statSync);
  if (!found)
    throw new Error(`${path}: ${at === path ? "it" : at} is a link that leads to nothing; mend it, or take it away`);
  if (at !== path && !found.isDirectory()) throw new Error(`${path}: ${at} is no folder; move it away`);
}
