import type ivm from "isolated-vm";
import { LAZY_FILES } from "../wire/lazy-files.ts";
import { externalCopy, lazyFunction } from "./guest-code.ts";
import { GuestScript } from "./guest-script.ts";

/** How files are read that were opened before. */
export interface OpenFiles {
  openSync(path: string, flags: "r"): number;
  readFileSync(file: number): Buffer;
  closeSync(file: number): void;
}

/**
 * Opens the files of lazy code: later, the process can open none. Returns the code of a name, a function that makes what it exports;
 * undefined for another name. Few hooks need any, and those that do need one or two.
 *
 * @param paths of `LAZY_FILES`, in their order
 */
export function lazyCode(
  addon: typeof ivm,
  paths: readonly string[],
  files: OpenFiles,
): (name: string) => GuestScript | undefined {
  const open = new Map(LAZY_FILES.map((name, at) => [name, files.openSync(paths[at] as string, "r")]));
  const scripts = new Map<string, GuestScript>();
  const read = (name: string): Buffer | undefined => {
    const file = open.get(name);
    if (file === undefined) return undefined;
    const bytes = files.readFileSync(file);
    files.closeSync(file);
    open.delete(name);
    return bytes;
  };
  return (name) => {
    const code = read(`${name}.js`);
    if (code) {
      const { text, filename } = lazyFunction(name, code.toString());
      const cache = read(`${name}.cache`);
      scripts.set(name, new GuestScript(text, filename, cache && externalCopy(addon, cache)));
    }
    return scripts.get(name);
  };
}
