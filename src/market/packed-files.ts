import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import packlist from "npm-packlist";
import { CordonError } from "../base/errors.ts";
import { entriesBelow } from "../disk/entries-below.ts";

/**
 * The files that npm puts into the package of a folder, relative to it. Dependencies that it would bring along are left out.
 * `undefined` for a `package.json` with which npm makes no package.
 */
export async function packedFiles(folder: string): Promise<ReadonlySet<string> | undefined> {
  refuseUnreadable(folder);
  const { files, main, bin, browser } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!isListing(files) || !isOptionalText(main) || !isPrograms(bin)) return undefined;
  const programs = typeof bin === "string" ? { program: bin } : bin;
  const json = { files: files?.filter(isInside), main, bin: programs, browser: isText(browser) ? browser : undefined };
  return new Set(await packlist({ path: folder, package: json, isProjectRoot: true, edgesOut: new Map() }));
}

const isText = (value: unknown): value is string => typeof value === "string";
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);
const isListing = (value: unknown): value is string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(isText));
const isPrograms = (value: unknown): boolean =>
  isOptionalText(value) || (typeof value === "object" && value !== null && Object.values(value).every(isText));

/** A pattern that leads out of the package finds nothing that npm would take, and looks at the whole disk. */
const isInside = (pattern: string): boolean => !/(^|[\\/{,])\.\.($|[\\/},])/.test(pattern);

/** What npm's libraries read of a folder to know what they pack. */
const READ_BY_NPM: ReadonlySet<string> = new Set(["package.json", ".npmignore", ".gitignore"]);

/** Throws `LOAD_FAILED` for a pipe or a device in place of one of these: npm's libraries would wait for it for good. */
export function refuseUnreadable(folder: string): void {
  for (const entry of entriesBelow(folder)) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() || !READ_BY_NPM.has(entry.name)) continue;
    const status = statSync(path, { throwIfNoEntry: false });
    if (status && !status.isFile() && !status.isDirectory())
      throw new CordonError("LOAD_FAILED", `${path}: not a regular file`);
  }
}
