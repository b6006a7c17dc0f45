import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { realPathOf } from "../discover/paths.ts";
import { defaultHome } from "../home.ts";
import { installedHooks } from "../market/installed.ts";
import { Refused } from "./common.ts";

/** The file of a hook that a person names by its path, or by its id where it is installed. */
export function hookFile(name: string): string {
  const file = realPathOf(resolve(name));
  const installed = existsSync(file)
    ? undefined
    : installedHooks(defaultHome(), resolve(".")).hooks.find(({ id }) => id === name);
  const path = installed?.path ?? file;
  if (!existsSync(path)) throw new Refused(`${name}: no such file`);
  if (statSync(path).isDirectory()) throw new Refused(`${name} is a folder: name the hook's file in it`);
  return path;
}
