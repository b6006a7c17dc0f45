import { readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { OnResolveArgs, OnResolveResult } from "esbuild";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { built } from "../base/package-root.ts";
import { isInside } from "../runtime/find-program.ts";
import { importedModule } from "./offered-modules.ts";

/** Extensions of the files that hooks get. */
const EXTENSIONS = new Set([".js", ".mjs"]);

/** Whether the files of a folder may do something by being imported. */
const effects = new Map<string, boolean>();

/**
 * The file for an import between the files of `folders`, which hooks get; undefined for any other. It is found by its place: for
 * each import that esbuild resolves, it reads every folder above the file again.
 */
export function offeredImport(
  { kind, path, importer }: Pick<OnResolveArgs, "kind" | "path" | "importer">,
  folders: readonly string[],
): OnResolveResult | undefined {
  const file = /^\.\.?\//.test(path) ? join(dirname(importer), path) : importedModule(path, kind);
  if (file === undefined || !EXTENSIONS.has(extname(file))) return undefined;
  const folder = folders.find((one) => isInside(file, one));
  return folder === undefined ? undefined : { path: file, sideEffects: mayHaveEffects(folder) };
}

function mayHaveEffects(folder: string): boolean {
  // What Cordon writes itself does nothing by being there: a part that nobody names is left out.
  if (folder === built("modules")) return false;
  const known = effects.get(folder);
  if (known !== undefined) return known;
  const description = attemptOr(() => readJson(readFileSync(join(folder, "package.json"), "utf8")), {});
  const may = description.sideEffects !== false;
  effects.set(folder, may);
  return may;
}
