import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { cleanLine } from "../base/text.ts";
import { sha256OfFile } from "../disk/file-hash.ts";
import { MAX_TREE_BYTES, MAX_TREE_FILES, refused, TREE_TOO_LARGE } from "./archive.ts";

export interface TreeFile {
  /** Relative to the folder, with `/`. */
  path: string;
  bytes: number;
  sha256: string;
}

/**
 * The files of a folder, sorted. Throws `LOAD_FAILED` for anything but files and folders, such as a link: the build would
 * read other bytes than those that were shown and hashed.
 *
 * @param without the name of folders that are left out
 */
export function filesOf(folder: string, without?: string): TreeFile[] {
  const files: TreeFile[] = [];
  let bytes = 0;
  const walk = (directory: string): void => {
    for (const name of readdirSync(directory).sort()) {
      const path = join(directory, name);
      const shown = relative(folder, path).split(sep).join("/");
      const status = lstatSync(path);
      if (status.isDirectory()) {
        if (name !== without) walk(path);
        continue;
      }
      if (!status.isFile()) throw refused(`${cleanLine(shown, 200)} is neither a file nor a folder`);
      bytes += status.size;
      if (files.length >= MAX_TREE_FILES || bytes > MAX_TREE_BYTES) throw refused(TREE_TOO_LARGE);
      const sha256 = sha256OfFile(path);
      files.push({ path: shown, bytes: status.size, sha256 });
    }
  };
  walk(folder);
  return files;
}

/** One hash over names and contents, in the form of npm's integrity. */
export function treeIntegrity(files: readonly TreeFile[]): string {
  const hash = createHash("sha512");
  for (const { path, sha256 } of files) hash.update(`${path}\0${sha256}\n`);
  return `sha512-${hash.digest("base64")}`;
}

/** Makes a folder and its content read-only: what was checked is what will run. */
export const makeReadOnly = (folder: string): void => setModes(folder, 0o444, 0o555);

/** Makes a folder and its content writable, so that it can be removed. */
export const makeWritable = (folder: string): void => setModes(folder, 0o644, 0o755);

function setModes(folder: string, fileMode: number, folderMode: number): void {
  // A read-only folder cannot be emptied, and one that cannot be read is not walked: make it writable first.
  if (folderMode & 0o200) chmodSync(folder, folderMode);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path, fileMode, folderMode);
    else if (entry.isFile()) chmodSync(path, fileMode);
  }
  chmodSync(folder, folderMode);
}
