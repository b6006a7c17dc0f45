import { LAZY_CODE } from "../wire/lazy-code.ts";

/** How files are read that were opened before. */
export interface OpenFiles {
  openSync(path: string, flags: "r"): number;
  readFileSync(file: number, encoding: "utf8"): string;
  closeSync(file: number): void;
}

/**
 * Opens the files of lazy code: later, the process can open none. Returns the body of a function that returns a function, which
 * makes what the code of that name exports; an empty text for another name. Few hooks need any, and those that do need one or two.
 *
 * @param paths of the files, in the order of `LAZY_CODE`
 */
export function lazyCode(paths: readonly string[], files: OpenFiles): (name: string) => string {
  const open = new Map<string, number>(LAZY_CODE.map((name, at) => [name, files.openSync(paths[at] as string, "r")]));
  const texts = new Map<string, string>();
  return (name) => {
    const file = open.get(name);
    if (file !== undefined) {
      texts.set(name, `return (given) => {${files.readFileSync(file, "utf8")}\nreturn cordonLazyCode;};`);
      files.closeSync(file);
      open.delete(name);
    }
    return texts.get(name) ?? "";
  };
}
