import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { readIfThere } from "../disk/atomic-file.ts";
import { realPathOf, resolveHookPath } from "../disk/paths.ts";
import { isInside } from "../runtime/find-program.ts";
import type { Origin } from "../session/hook.ts";
import type { Grants } from "../store/grants-text.ts";

/** A hook that was found, before anything of it is read. */
export interface Found {
  /** As configured. */
  path: string;
  realPath: string;
  origin: Origin;
}

export interface Settings {
  hooks: string[];
  hookTimeout: number | undefined;
  /** What is wrong with the file, for the log. */
  problem?: string;
}

/** Hooks of a project that are looked at: a repository could bring thousands, and each is built to be shown. */
const MAX_PROJECT_HOOKS = 100;

/** pi's folder of the user's own. */
export const defaultAgentDir = (): string => process.env.PI_CODING_AGENT_DIR || join(homedir(), ".pi", "agent");

/** The user's `settings.json`, as far as it concerns hooks. A project's settings activate nothing. */
export function readSettings(agentDir: string): Settings {
  const path = join(agentDir, "settings.json");
  try {
    const value = JSON.parse(readIfThere(path) ?? "{}");
    const hooks = Array.isArray(value?.hooks) ? value.hooks.filter((hook: unknown) => typeof hook === "string") : [];
    const timeout = value?.hookTimeout;
    return { hooks, hookTimeout: typeof timeout === "number" && timeout > 0 ? timeout : undefined };
  } catch (error) {
    return { hooks: [], hookTimeout: undefined, problem: `${path}: ${(error as Error).message}` };
  }
}

/**
 * Hooks in pi's order: the user's folder, the project's, the user's settings. A project's hook that was accepted is
 * found even when its file is gone, since it still guards.
 */
export function discover(options: { agentDir: string; cwd: string; settings: Settings; grants: Grants }): Found[] {
  const userFolder = join(options.agentDir, "hooks");
  const projectFolder = join(options.cwd, ".pi", "hooks");
  const project = realPathOf(projectFolder);
  // A link put in a gate's place, or in its folder's, does not take the gate out: the accepted path itself is kept.
  const places = [project, join(realPathOf(options.cwd), ".pi", "hooks")];
  const accepted = [...options.grants.keys()].filter(
    (key) => key.endsWith(".ts") && places.some((place) => isInside(key, place)),
  );
  const origin = { kind: "project", folder: project } as const;
  return [
    ...hookFiles(userFolder).map(
      (path): Found => ({
        path,
        realPath: realPathOf(path),
        origin: { kind: "user", folder: realPathOf(userFolder) },
      }),
    ),
    ...hookFiles(projectFolder)
      .slice(0, MAX_PROJECT_HOOKS)
      .map((path): Found => {
        // A link out of the project has no say in what another project's file was granted.
        const realPath = realPathOf(path);
        const inside = places.some((place) => isInside(realPath, place));
        return { path, realPath: inside ? realPath : join(project, basename(path)), origin };
      }),
    ...accepted.map((path): Found => ({ path, realPath: path, origin })),
    ...options.settings.hooks.map((path): Found => {
      const resolved = resolveHookPath(path, options.cwd);
      return { path: resolved, realPath: realPathOf(resolved), origin: { kind: "settings" } };
    }),
  ];
}

/** The `.ts` files of a folder, sorted by name; not its subfolders, and no `.d.ts`. */
function hookFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(
        (entry) =>
          (entry.isFile() || entry.isSymbolicLink()) && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"),
      )
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch {
    return [];
  }
}
