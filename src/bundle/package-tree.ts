import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { isRefused } from "../powers/fs-refused-names.ts";
import { sha256 } from "./digest.ts";

/** Most files and folders that are looked through in one package, and how deep. */
const MAX_ENTRIES = 5000;
const MAX_DEPTH = 20;

/** Files of code, and what comes with it. */
export const CODE = /\.(?:[cm]?[jt]sx?|node|map)$/i;

/** Files and folders of a package that a bundle may carry, relative to it, with `/` and in order. */
export interface PackageTree {
  readonly files: readonly string[];
  /** Those of which all that is in them is among the files, and no code. */
  readonly folders: readonly string[];
  readonly allFolders: readonly string[];
  /** There is nothing else in the package: no links, secrets and special files. */
  readonly isComplete: boolean;
}

/** `undefined` if there is too much in the package. What is hidden, and packages of its own, are none of it. */
export function treeOf(root: string): PackageTree | undefined {
  const files: string[] = [];
  const folders: string[] = [];
  const allFolders: string[] = [];
  let isComplete = true;
  let count = 0;
  const nameOf = (path: string): string => relative(root, path).split(sep).join("/");
  /** Whether a bundle may carry the whole folder. */
  const visit = (folder: string, depth: number): boolean => {
    const entries =
      depth > MAX_DEPTH ? undefined : attemptOr(() => readdirSync(folder, { withFileTypes: true }), undefined);
    if (!entries) isComplete = false;
    let isPlain = entries !== undefined;
    const place = folders.length;
    for (const entry of entries?.sort((a, b) => (a.name < b.name ? -1 : 1)) ?? []) {
      if (++count > MAX_ENTRIES) return false;
      const isHidden = entry.name.startsWith(".");
      const path = join(folder, entry.name);
      const isPackages = entry.isDirectory() && entry.name === "node_modules";
      const isOther =
        !(entry.isDirectory() || entry.isFile()) || isNoText(entry.name) || isRefused(`/${nameOf(path)}`, "read");
      if (isOther && !isHidden) isComplete = false;
      if (isPackages || isOther || isHidden || CODE.test(entry.name)) isPlain = false;
      if (isPackages || isOther || isHidden) continue;
      if (entry.isFile()) files.push(nameOf(path));
      else {
        allFolders.push(nameOf(path));
        isPlain = visit(path, depth + 1) && isPlain;
      }
    }
    if (isPlain && folder !== root) folders.splice(place, 0, nameOf(folder));
    return isPlain;
  };
  visit(root, 0);
  return count > MAX_ENTRIES ? undefined : { files, folders, allFolders, isComplete };
}

/** A name that is no UTF-8 leads to no file. */
const isNoText = (name: string): boolean => name.includes("\ufffd");

/** The {@link namesHash} of a package with so many names that a bundle carries nothing of it. */
export const TOO_MANY = "too many";

/** Changes with the names of all that is in a package, which decide what a bundle carries of it. */
export function namesHash(root: string): string {
  const names: string[] = [];
  const visit = (folder: string, depth: number): void => {
    const entries = attemptOr(() => readdirSync(folder, { withFileTypes: true }), []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (names.length > MAX_ENTRIES) return;
      const kind = entry.isFile() ? "f" : entry.isDirectory() ? "d" : "-";
      names.push(`${depth} ${kind} ${JSON.stringify(entry.name)}`);
      if (kind === "d" && entry.name !== "node_modules" && depth < MAX_DEPTH)
        visit(join(folder, entry.name), depth + 1);
    }
  };
  visit(root, 0);
  return names.length > MAX_ENTRIES ? TOO_MANY : sha256(names.join("\n"));
}
