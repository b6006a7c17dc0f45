import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import { Refused } from "./common.ts";
import { hookHere, hooksHere } from "./here.ts";
import { UnknownHook } from "./names.ts";

/** Finds the file of a hook, named by its path or by a name that it has here. */
export function hookFile(name: string): string {
  const file = realPathOf(resolve(name));
  const path = existsSync(file) ? file : fileNamed(name);
  if (!existsSync(path)) throw new Refused(`${name}: no such file`);
  if (statSync(path).isDirectory()) throw new Refused(`${name} is a folder: name the hook's file in it`);
  return path;
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
