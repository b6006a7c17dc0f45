import { readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { OnResolveArgs, OnResolveResult } from "esbuild";
import { attemptOr } from "../base/attempt.ts";
import { built } from "../base/package-root.ts";
import { isInside } from "../runtime/find-program.ts";

/** Extensions of files that such imports name whole. */
const WHOLE = new Set([".js", ".mjs", ".cjs", ".json"]);

/** What esbuild found. The files do not change while a build process runs. */
const known = new Map<string, OnResolveResult>();

/** Whether the files of a folder may do something by being imported; undefined if its package says so of each. */
const effects = new Map<string, boolean | undefined>();

/**
 * The file for an import between the files of `folders`, which are Cordon's modules and the packages that they need. Most are named
 * by their places. For one that it is asked for, esbuild reads every folder above again: TypeBox alone has 1,000 such imports.
 *
 * @param ask esbuild's own answer
 */
export async function offeredImport(
  args: OnResolveArgs,
  folders: readonly string[],
  ask: () => Promise<OnResolveResult>,
): Promise<OnResolveResult> {
  const { kind, path, importer } = args;
  if (/^\.\.?\//.test(path) && WHOLE.has(extname(path))) {
    const file = join(dirname(importer), path);
    const folder = folders.find((one) => isInside(file, one));
    const sideEffects = folder === undefined ? undefined : mayHaveEffects(folder);
    if (sideEffects !== undefined) return { path: file, sideEffects };
  }
  const key = `${kind} ${path} ${dirname(importer)}`;
  const found = known.get(key) ?? (await ask());
  known.set(key, found);
  return found;
}

function mayHaveEffects(folder: string): boolean | undefined {
  // What Cordon writes itself does nothing by being there: a part that nobody names is left out.
  if (folder === built("modules")) return false;
  if (!effects.has(folder)) {
    const said: unknown = attemptOr(
      () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
      {},
    ).sideEffects;
    effects.set(folder, said === undefined || typeof said === "boolean" ? said !== false : undefined);
  }
  return effects.get(folder);
}
