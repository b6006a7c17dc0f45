import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, relative, sep } from "node:path";

/** True if `path` is `folder` or lies below it. Both absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * Finds a program in the absolute entries of PATH that are outside `workspaces` and any `node_modules`: npm puts the
 * project's `node_modules/.bin` first, and a fake program there would run. Returns its absolute path, or `undefined`. A link
 * into a workspace counts as inside it.
 */
export function findProgram(name: string, workspaces: readonly string[], path: string): string | undefined {
  return findPrograms(name, workspaces, path)[0];
}

/** All of that name, in the order of PATH. */
export function findPrograms(name: string, workspaces: readonly string[], path: string): string[] {
  const found: string[] = [];
  const extensions = process.platform === "win32" ? ["", ".exe", ".com"] : [""];
  for (const entry of path.split(delimiter)) {
    if (!isAbsolute(entry)) continue;
    for (const extension of extensions) {
      const file = join(entry, name + extension);
      if (isProgram(file) && isTrustedPath(file, workspaces)) found.push(file);
    }
  }
  return found;
}

/**
 * True if the path is not in a `node_modules`, and neither it nor its link target is in a workspace. Programs that are
 * installed globally, such as npm itself, are links into a `node_modules`.
 */
export function isTrustedPath(file: string, workspaces: readonly string[]): boolean {
  if (file.split(/[\\/]/).includes("node_modules")) return false;
  for (const path of [file, realPath(file)]) {
    if (path === undefined) return false;
    if (workspaces.some((folder) => isInside(path, folder) || isInside(path, realPath(folder) ?? folder))) return false;
  }
  return true;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
