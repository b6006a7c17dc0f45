import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { builtForHost, PACKAGE_ROOT } from "../base/package-root.ts";
import { sha256 } from "./digest.ts";
import { offeredFolders } from "./offered-modules.ts";

let known: string | undefined;

/**
 * Identifies this builder. It changes whenever the same source could be bundled differently: with Cordon's own part of the
 * build, the modules that it offers, or the libraries that do the work.
 */
export function builderVersion(): string {
  known ??= `6-esbuild-${versionOf("esbuild/package.json")}-${fingerprint()}`;
  return known;
}

const require = createRequire(import.meta.url);
const versionOf = (description: string): string => require(description).version;

/** Cordon's own part, and the modules that it offers. */
function fingerprint(): string {
  const hash = createHash("sha256").update(readFileSync(builtForHost("bundle", "fingerprint.txt")));
  return hash
    .update(versionOf(join(PACKAGE_ROOT, "package.json")))
    .digest("hex")
    .slice(0, 16);
}

/** The identity of the builder, with the version of the Node that ran it. */
export const builderOf = ({ node }: { node: string }): string => `${builderVersion()}-node-${node}`;

/** What a bundle consists of, that decides what it does. */
interface Hashed {
  readonly code: string;
  readonly agent?: string;
  readonly configSchema?: object;
}

/**
 * The hash of a built bundle, and of what its package says. It does not depend on the folders of the hook and of Cordon, which are
 * in the bundle's comments and in `__dirname`.
 */
export function bundleHash({ code, agent, configSchema }: Hashed, root: string): string {
  const paths: [path: string, name: string][] = offeredFolders().map((folder, at) => [
    relative(root, folder).split(sep).join("/"),
    `cordon:${at}`,
  ]);
  paths.push([pathToFileURL(root).href, "cordon:url"], [JSON.stringify(root).slice(1, -1), "cordon:root"]);
  const hash = sha256(paths.reduce((text, [path, name]) => text.replaceAll(path, name), code));
  return agent === undefined && !configSchema ? hash : sha256(JSON.stringify([hash, agent ?? "", configSchema ?? {}]));
}
