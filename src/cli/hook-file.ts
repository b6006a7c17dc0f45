import { existsSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { command } from "../base/shell-word.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { Refused } from "./common.ts";
import { hookFiles } from "./dev/hook-files.ts";
import { hookHere, hooksHere } from "./here.ts";
import { UnknownHook } from "./names.ts";

/** Finds the file of a hook, named by its path or by a name that it has here. */
export function hookFile(name: string): string {
  const file = realPathOf(resolve(name));
  const path = existsSync(file) ? file : fileNamed(name);
  if (!existsSync(path)) throw new Refused(`${name}: no such file`);
  if (/\.(tgz|tar\.gz)$/i.test(path))
    throw new Refused(`${name} is a packed package: unpack it first, or run: ${command`cordon add ${name}`}`);
  return statSync(path).isDirectory() ? onlyHookIn(path, name) : path;
}

/** The hook of a package, or of a folder of hooks, that has just one. */
function onlyHookIn(folder: string, name: string): string {
  const files = hookFiles(folder);
  const [file] = files;
  if (file === undefined) throw new Refused(`${name}: there is no hook in this folder`);
  if (files.length === 1) return realPathOf(file);
  const names = files.map((one) => relative(folder, one)).join(", ");
  throw new Refused(`${name} is a folder with several hooks; name one of them: ${names}`);
}

function fileNamed(name: string): string {
  const cwd = resolve(".");
  try {
    return hookHere(name, hooksHere(cwd, defaultHome()), cwd).realPath;
  } catch (error) {
    if (!(error instanceof UnknownHook)) throw error;
    throw new Refused(error.near.length === 0 ? `${name}: no such file` : `${name}: no such file; ${error.message}`);
  }
}
