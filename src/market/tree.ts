import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { CordonError } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { MAX_TREE_BYTES, MAX_TREE_FILES, TREE_TOO_LARGE } from "./archive.ts";

export interface TreeFile {
  /** Relative to the folder, with `/`. */
  path: string;
  bytes: number;
  sha256: string;
}

/**
 * The files of a folder, sorted. Throws `LOAD_FAILED` for whatever is no file or folder, such as a link: what was shown and
 * hashed would not be what is built.
 */
export function filesOf(folder: string): TreeFile[] {
  const files: TreeFile[] = [];
  let bytes = 0;
  const walk = (place: string): void => {
    for (const name of readdirSync(place).sort()) {
      const path = join(place, name);
      const shown = relative(folder, path).split(sep).join("/");
      const status = lstatSync(path);
      if (status.isDirectory()) {
        walk(path);
        continue;
      }
      if (!status.isFile())
        throw new CordonError(
          "LOAD_FAILED",
          `the package is refused: ${cleanLine(shown, 200)} is no file and no folder`,
        );
      bytes += status.size;
      if (files.length >= MAX_TREE_FILES || bytes > MAX_TREE_BYTES)
        throw new CordonError("LOAD_FAILED", `the package is refused: ${TREE_TOO_LARGE}`);
      const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
      files.push({ path: shown, bytes: status.size, sha256 });
    }
  };
  walk(folder);
  return files;
}

/** One hash over names and content, in the form of npm's integrity. */
export function treeIntegrity(files: readonly TreeFile[]): string {
  const hash = createHash("sha512");
  for (const { path, sha256 } of files) hash.update(`${path}\0${sha256}\n`);
  return `sha512-${hash.digest("base64")}`;
}

/** Takes the right to write from a folder and all in it: what was looked at is what will run. */
export function makeReadOnly(folder: string): void {
  setModes(folder, 0o444, 0o555);
}

/** Gives it back, so that the folder can be removed. */
export function makeWritable(folder: string): void {
  setModes(folder, 0o644, 0o755);
}

function setModes(folder: string, file: number, directory: number): void {
  const walk = (place: string): void => {
    // A folder that cannot be written cannot be emptied either; one that cannot be read is not walked.
    if (directory & 0o200) chmodSync(place, directory);
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      const path = join(place, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) chmodSync(path, file);
    }
    chmodSync(place, directory);
  };
  walk(folder);
}
