import { createHash } from "node:crypto";
import type { SourceFile } from "./protocol.ts";

export const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

/**
 * A hook's identity: SHA-256 over the sorted list of (path inside its folder, SHA-256) of every file in its bundle, each
 * `package.json` that affects it, and its manifest. A link on the way is listed with its target.
 * Built output does not count, since it changes with the builder.
 *
 * @param entry the hook's file, as in `files`: two that import each other are two hooks
 * @param manifest canonical text of the manifest; empty if there is none
 */
export function digestOf(files: readonly SourceFile[], entry: string, manifest: string): string {
  const lines = files
    .map(
      ({ path, sha256, link }) =>
        `${JSON.stringify(path)} ${link === undefined ? sha256 : `-> ${JSON.stringify(link)}`}\n`,
    )
    .sort();
  return `sha256-${sha256(`${lines.join("")}entry ${JSON.stringify(entry)}\nmanifest ${sha256(manifest)}\n`)}`;
}
