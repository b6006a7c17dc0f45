import { readFileSync } from "node:fs";
import { join } from "node:path";
import packlist from "npm-packlist";

/** The files that npm puts into the package of a folder, relative to it. Dependencies that it would bring along are left out. */
export async function packedFiles(folder: string): Promise<ReadonlySet<string>> {
  const { bundleDependencies: _brought, ...json } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return new Set(await packlist({ path: folder, package: json, isProjectRoot: true, edgesOut: new Map() }));
}
