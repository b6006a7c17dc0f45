import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import Arborist from "@npmcli/arborist";
import { readIfThere } from "../atomic-file.ts";
import { packageOf } from "./package.ts";

/** npm's own settings: registry, tokens, proxy. */
export type NpmOptions = Record<string, unknown>;

/** Packages that Cordon provides itself: an agent among a hook's dependencies is not fetched. */
const PROVIDED =
  /^(@(mariozechner|earendil-works)\/pi-[a-z-]+|@strands-agents\/sdk|openclaw|cordon|typebox|@sinclair\/typebox)$/;

/**
 * Puts the dependencies of a package beside it. No script of theirs runs, nothing is linked into `.bin`, and what is for
 * development, or for others to bring, is left out.
 */
export async function addDependencies(folder: string, options: NpmOptions): Promise<void> {
  const { dependencies = {} } = packageOf(folder);
  const wanted = Object.entries(dependencies).filter(([name]) => !PROVIDED.test(name));
  if (wanted.length === 0) return;
  // In a folder of their own: the package's other settings for npm (workspaces, overrides, a lock) have no say.
  const place = `${folder}.dependencies`;
  mkdirSync(place, { recursive: true, mode: 0o700 });
  try {
    const asked = { name: "cordon-dependencies", version: "0.0.0", dependencies: Object.fromEntries(wanted) };
    writeFileSync(join(place, "package.json"), JSON.stringify(asked));
    const arborist = new Arborist({
      ...options,
      path: place,
      ignoreScripts: true,
      binLinks: false,
      installLinks: true,
      // From a registry only: a path or a private repository would carry what this person can read into the hook.
      allowFile: "none",
      allowDirectory: "none",
      allowGit: "none",
      allowRemote: "none",
      legacyPeerDeps: true,
      omit: ["dev", "peer"],
      audit: false,
      fund: false,
      save: false,
      packageLock: false,
    });
    await arborist.reify();
    const modules = join(place, "node_modules");
    rmSync(join(modules, ".package-lock.json"), { force: true });
    rmSync(join(folder, "node_modules"), { recursive: true, force: true });
    if (existsSync(modules)) renameSync(modules, join(folder, "node_modules"));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * The user's settings for npm. A project's `.npmrc` is not read: a repository could name a registry of its own.
 *
 * @param home where the user's `.npmrc` is
 */
export function npmOptions(home = homedir()): NpmOptions {
  const options: NpmOptions = {};
  for (const line of (readIfThere(join(home, ".npmrc"), 1024 * 1024) ?? "").split("\n")) {
    const [, name, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const plain = value.replace(/^"(.*)"$/, "$1");
    options[name] = plain.replace(/\$\{([^}]+)\}/g, (_match, variable: string) => process.env[variable] ?? "");
  }
  const registry = process.env.npm_config_registry;
  if (registry) options.registry = registry;
  return options;
}
