import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { attemptOr } from "../base/attempt.ts";
import { isRefused } from "../powers/fs-refused-names.ts";
import { sha256 } from "./digest.ts";

/** Most files and folders that are looked through in one package. */
const MAX_ENTRIES = 5000;

/** Files of code, and what comes with it. */
export const CODE = /\.(?:[cm]?[jt]sx?|node|map)$/i;

/** Files and folders of a package that a bundle may carry, relative to it, with `/` and in order. */
export interface PackageTree {
  readonly files: readonly string[];
  /** Those of which all that is in them is among the files, and no code. */
  readonly folders: readonly string[];
  /** There is nothing else in the package: no links, secrets and special files. */
  readonly isComplete: boolean;
}

/** `undefined` if there is too much in the package. Hidden files and packages of its own are none of it. */
export function treeOf(root: string): PackageTree | undefined {
  const files: string[] = [];
  const folders: string[] = [];
  let isComplete = true;
  let count = 0;
  const nameOf = (path: string): string => relative(root, path).split(sep).join("/");
  /** Whether a bundle may carry the whole folder. */
  const visit = (folder: string): boolean => {
    const entries = attemptOr(() => readdirSync(folder, { withFileTypes: true }), undefined);
    if (!entries) isComplete = false;
    let isPlain = entries !== undefined;
    const place = folders.length;
    for (const entry of entries?.sort((a, b) => (a.name < b.name ? -1 : 1)) ?? []) {
      if (entry.name.startsWith(".")) continue;
      if (++count > MAX_ENTRIES) return false;
      const path = join(folder, entry.name);
      const isPackages = entry.isDirectory() && entry.name === "node_modules";
      const isOther = !(entry.isDirectory() || entry.isFile()) || isRefused(`/${nameOf(path)}`, "read");
      if (isOther) isComplete = false;
      if (isPackages || isOther || CODE.test(entry.name)) isPlain = false;
      if (isPackages || isOther) continue;
      if (entry.isFile()) files.push(nameOf(path));
      else isPlain = visit(path) && isPlain;
    }
    if (isPlain && folder !== root) folders.splice(place, 0, nameOf(folder));
    return isPlain;
  };
  visit(root);
  return count > MAX_ENTRIES ? undefined : { files, folders, isComplete };
}

/** Changes with the names in a hook's folder, which decide what its bundle carries. */
export const namesHash = (root: string): string => sha256(JSON.stringify(treeOf(root) ?? {}));
