import { lstatSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { messageOf } from "../base/errors.ts";
import { isPlugin, PLUGIN_FILE } from "../grants/package-hooks.ts";
import { configSchemaIn } from "../grants/plugin-manifest.ts";
import { OwnResolver } from "./own-resolver.ts";
import type { BuildAnswer, BuildRequest } from "./protocol.ts";
import type { VisibleFiles } from "./visible-files.ts";

type PluginFound = Pick<Extract<BuildAnswer, { ok: true }>, "agent" | "configSchema">;

/**
 * Whether the hook is a plugin of OpenClaw's, by the package that has the manifest: a nearer one may have neither. And the schema
 * of its configuration. Throws if a manifest is there and cannot be read.
 */
export function pluginHere({ root, entry }: BuildRequest, files: VisibleFiles): PluginFound {
  const says = new OwnResolver(root, files).packageOf(join(root, "package.json"))?.json ?? {};
  const manifest = pluginManifest(join(root, PLUGIN_FILE), files);
  const isMarked = isPlugin(says, manifest !== undefined, entry.split(sep).join("/"));
  const configSchema = manifest === undefined ? undefined : configSchemaIn(manifest);
  return { ...(isMarked ? { agent: "openclaw" } : {}), ...(configSchema ? { configSchema } : {}) };
}

/** `undefined` if none is there. */
function pluginManifest(path: string, files: VisibleFiles): string | undefined {
  try {
    return files.read(path).toString();
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    throw new Error(`${PLUGIN_FILE} cannot be read: ${basename(messageOf(error))}`);
  }
}
