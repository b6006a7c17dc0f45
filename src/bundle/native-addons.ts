import { extname, relative } from "node:path";
import type { OwnResolver } from "./own-resolver.ts";

/** What else there is, for who needs what a native addon does. */
const INSTEAD = "take its build in JavaScript or WebAssembly, another package, or a program by the power exec";

/** Native code that Node loads into its process. */
export const isNativeAddon = (path: string): boolean => extname(path).toLowerCase() === ".node";

/** What a hook uses with a native addon: its package, or for an addon of its own the file. */
export function addonOf(path: string, root: string, resolver: OwnResolver): string {
  const name = resolver.packageOf(path)?.json.name;
  return typeof name === "string" ? `native code of the package ${name}` : `native code in ${relative(root, path)}`;
}

/** The error for a native addon. Code may catch it and go on, as where Node finds no addon for its machine. */
export const refusedAddon = (path: string, root: string, resolver: OwnResolver): string =>
  `${relative(root, path)} is ${addonOf(path, root, resolver).replace(/ in .*/s, "")}, which no hook can run: ${INSTEAD}`;
