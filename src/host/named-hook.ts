import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { CordonError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json-text.ts";
import { cleanLine } from "../base/text.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { realPathOf } from "../disk/paths.ts";
import { hooksNamed } from "../grants/package-hooks.ts";
import { isInside } from "../runtime/find-program.ts";

/** Longest error: a package may name any number of hooks. */
const MAX_SAID = 1000;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * The real file of a hook that is named by a path: of a folder, the hook that its package names, else its index. Throws `BAD_GRANT`
 * for a folder with several hooks or with none: one of them alone could be the wrong one, and the others would be missing.
 */
export function fileOfHook(path: string): string {
  try {
    return fileAt(path);
  } catch (error) {
    throw error instanceof CordonError
      ? error
      : new CordonError("BAD_GRANT", cleanLine(`${path}: ${messageOf(error)}`, MAX_SAID));
  }
}

function fileAt(path: string): string {
  const real = realPathOf(path);
  if (!isFolder(real)) return real;
  const named = namedIn(real);
  const [first] = named;
  if (named.length > 1)
    throw new CordonError(
      "BAD_GRANT",
      cleanLine(`${path} is a folder with several hooks; name one of them: ${named.join(", ")}`, MAX_SAID),
    );
  if (first !== undefined) {
    const file = realPathOf(join(real, first));
    if (!isInside(file, real))
      throw new CordonError("BAD_GRANT", `${path}: its package.json names a file outside of it`);
    return file === real ? indexOf(path, real) : fileAt(file);
  }
  return indexOf(path, real);
}

function indexOf(path: string, real: string): string {
  const index = ["index.ts", "index.js"].find((name) => existsSync(join(real, name)));
  if (index === undefined)
    throw new CordonError("BAD_GRANT", `${path} is a folder without a hook; name the hook's file`);
  return realPathOf(join(real, index));
}

/** What the package of a folder names as its hooks. */
function namedIn(folder: string): string[] {
  const path = join(folder, "package.json");
  const text = readIfThere(path);
  if (text === undefined) return [];
  return [...new Set(hooksNamed(Object(parseJson(text, path, "BAD_MANIFEST"))))];
}
