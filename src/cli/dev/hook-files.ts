import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { hooksIn } from "../../market/package.ts";

/** Code that is no hook, beside those of a folder without a package. */
const NO_HOOK = /\.d\.[cm]?ts$|\.(?:test|spec|config)\.[cm]?[jt]sx?$/;

/**
 * The files of the hooks at a path: a file, a package as `cordon add` takes it, or a folder of hooks. None if nothing is there.
 * Throws for a package that names its hooks wrongly.
 */
export function hookFiles(path: string): string[] {
  const at = resolve(path);
  const status = statSync(at, { throwIfNoEntry: false });
  if (!status) return [];
  if (!status.isDirectory()) return [at];
  if (existsSync(join(at, "package.json"))) return hooksIn(at, "package").hooks.map(({ file }) => join(at, file));
  return readdirSync(at)
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !NO_HOOK.test(name))
    .sort()
    .map((name) => join(at, name));
}
