import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtForHost } from "../../base/package-root.ts";
import { readIfThere, writeAtomically } from "../../disk/atomic-file.ts";

const FILES = ["package.json", "openclaw.plugin.json", join("dist", "index.js")];

/** Where a plugin of Cordon lies for good, whatever becomes of the package. */
export const pluginFolder = (home: string): string => join(home, "openclaw-cordon");

/** The file that an agent loads. */
export const pluginPath = (home: string): string => join(pluginFolder(home), "dist", "index.js");

/** The plugin, and beside it what it asks. `node`, `start`: absolute real paths. */
export function writePlugin(home: string, node: string, start: string): void {
  const put = (name: string, text: string): void => {
    const path = join(pluginFolder(home), name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (readIfThere(path) !== text) writeAtomically(path, text, 0o600);
  };
  put("cordon.json", `${JSON.stringify({ home, node, start }, null, 2)}\n`);
  for (const name of FILES) put(name, readFileSync(builtForHost("openclaw-cordon", name), "utf8"));
}
