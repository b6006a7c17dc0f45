import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { built, builtForHost, PACKAGE_ROOT } from "../base/package-root.ts";
import { sha256 } from "./digest.ts";
import { offeredFolders } from "./offered-modules.ts";

let known: string | undefined;

/**
 * Identifies this builder. It changes whenever the same source could be bundled differently: with Cordon's own part of the
 * build, the modules that it offers, or the libraries that do the work.
 */
export function builderVersion(): string {
  known ??= `6-esbuild-${description("esbuild/package.json").version}-${fingerprint()}`;
  return known;
}

const require = createRequire(import.meta.url);
const description = (path: string) => require(path) as { name: string; version: string };

function fingerprint(): string {
  const hash = createHash("sha256").update(readFileSync(builtForHost("bundle", "fingerprint.txt")));
  const modules = built("modules");
  const offered = offeredFolders().flatMap((folder) => (folder === modules ? [] : [join(folder, "package.json")]));
  for (const path of [join(PACKAGE_ROOT, "package.json"), ...offered]) {
    const { name, version } = description(path);
    hash.update(`${name} ${version}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** The identity of the builder, with the version of the Node that ran it. */
export const builderOf = ({ node }: { node: string }): string => `${builderVersion()}-node-${node}`;

/**
 * The hash of a built bundle. It does not depend on the folders of the hook and of Cordon, which are in the bundle's comments
 * and in `__dirname`.
 */
export function bundleHash(code: string, root: string): string {
  const paths: [path: string, name: string][] = offeredFolders().map((folder, at) => [
    relative(root, folder).split(sep).join("/"),
    `cordon:${at}`,
  ]);
  paths.push([pathToFileURL(root).href, "cordon:url"], [JSON.stringify(root).slice(1, -1), "cordon:root"]);
  return sha256(paths.reduce((text, [path, name]) => text.replaceAll(path, name), code));
}
