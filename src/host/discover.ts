import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { CordonError, messageOf } from "../base/errors.ts";
import { readIfThere } from "../disk/atomic-file.ts";
import { foldersUp, realPathOf, resolveHookPath } from "../disk/paths.ts";
import { userFolder } from "../disk/user-folder.ts";
import { isInside } from "../runtime/find-program.ts";
import type { Origin } from "../session/hook.ts";
import type { Grants } from "../store/grants-text.ts";

/** A hook that was found, and not read yet. */
export interface Found {
  /** As configured. */
  path: string;
  realPath: string;
  origin: Origin;
  /** A person's settings name this very file, and not one of whatever folder the agent works in. */
  isNamed?: boolean;
}

export interface Settings {
  hooks: string[];
  hookTimeout: number | undefined;
  /** Why the file is invalid, for the log. */
  problem?: string;
}

/** Most hooks of a project: a repository could have thousands, and each is built to be shown. */
const MAX_PROJECT_HOOKS = 100;

/** The user's own folder of pi. */
export const defaultAgentDir = (): string => process.env.PI_CODING_AGENT_DIR || join(userFolder(), ".pi", "agent");

/** Cordon's own entry in pi 0.27, which is no hook that Cordon runs. */
export const ownEntry = (agentDir: string): string => join(agentDir, "cordon-hook.mjs");

/** The part of the user's `settings.json` that is about hooks. A project's settings activate nothing. */
export function readSettings(agentDir: string): Settings {
  const path = join(agentDir, "settings.json");
  try {
    const value = readJson(readIfThere(path) ?? "{}");
    const named: unknown[] = Array.isArray(value?.hooks) ? value.hooks : [];
    const hooks = named.filter((hook) => typeof hook === "string").filter((hook) => hook !== ownEntry(agentDir));
    const timeout = value?.hookTimeout;
    return { hooks, hookTimeout: typeof timeout === "number" && timeout > 0 ? timeout : undefined };
  } catch (error) {
    return {
      hooks: [],
      hookTimeout: undefined,
      problem: `${path}: no hook that it names is run: ${(error as Error).message}`,
    };
  }
}

/** Folders of hooks that belong to the user or to a project. `project`: below its own folder. */
interface HookFolders {
  user: string;
  project: readonly string[];
}

/** Cordon's own folders, which every agent has. */
const OWN_PROJECT = [".cordon", "hooks"];
/** pi's. */
const PI_PROJECT = [".pi", "hooks"];

/** The folders of a project that hooks are looked for in. */
export const projectFolders = (cwd: string): string[] => [OWN_PROJECT, PI_PROJECT].map((parts) => join(cwd, ...parts));

/**
 * The folders above this one whose hooks a person accepted: they judge nothing here. `userHooks`: the user's own folder of hooks, which
 * may be above, and has no project's.
 */
export function acceptedAbove(cwd: string, userHooks: string, grants: Grants): string[] {
  const accepted = [...grants].flatMap(([key, { digest }]) => (digest === undefined ? [] : [key]));
  const isOf = (folder: string) => (key: string) =>
    key.endsWith(".ts") && projectFolders(folder).some((hooks) => hooks !== userHooks && isInside(key, hooks));
  return [...foldersUp(dirname(cwd))].filter((folder) => accepted.some(isOf(folder)));
}

/** Where to look for hooks. `settings`: of pi, where its folders are looked at, too. */
interface Places {
  home: string;
  agentDir: string;
  cwd: string;
  settings: Settings | undefined;
  grants: Grants;
}

/**
 * Finds hooks: those of Cordon's own folders, then in pi's order those of its folders and settings. Each time the user's go
 * before the project's. An accepted hook of a project is found even if its file is gone, since it still guards.
 */
export function discover({ home, agentDir, cwd, settings, grants }: Places): Found[] {
  const own = inFolders({ user: join(home, "hooks"), project: OWN_PROJECT }, cwd, grants);
  if (!settings) return own;
  const named = settings.hooks.map((path): Found => {
    const resolved = resolveHookPath(path, cwd);
    const isNamed = resolveHookPath(path, "/") === resolved;
    return { path: resolved, realPath: realPathOf(resolved), origin: { kind: "settings" }, isNamed };
  });
  return [...own, ...inFolders({ user: join(agentDir, "hooks"), project: PI_PROJECT }, cwd, grants), ...named];
}

function inFolders({ user: userFolder, project: parts }: HookFolders, cwd: string, grants: Grants): Found[] {
  // Not where links in it lead: a repository could have others' hooks that way, as its own or as accepted in it. And replacing
  // an accepted gate or its folder by a link does not remove the gate: the accepted path is kept.
  const project = join(realPathOf(cwd), ...parts);
  const accepted = [...grants.keys()].filter((key) => key.endsWith(".ts") && isInside(key, project));
  const origin = { kind: "project", folder: project } as const;
  return [
    ...ownFiles(userFolder).map(
      (path): Found => ({
        path,
        realPath: realPathOf(path),
        origin: { kind: "user", folder: realPathOf(userFolder) },
      }),
    ),
    ...attemptOr(() => hookFiles(join(cwd, ...parts)), [])
      .slice(0, MAX_PROJECT_HOOKS)
      .map((path): Found => {
        const realPath = realPathOf(path);
        return { path, realPath: isInside(realPath, project) ? realPath : join(project, basename(path)), origin };
      }),
    ...accepted.map((path): Found => ({ path, realPath: path, origin })),
  ];
}

/** The same of a person's own folder. What cannot be read may hold guards, and nothing begins without them. */
function ownFiles(folder: string): string[] {
  try {
    return hookFiles(folder);
  } catch (error) {
    if (attemptOr(() => lstatSync(folder, { throwIfNoEntry: false }) === undefined, false)) return [];
    const text = `${folder}: this folder of hooks cannot be read, and they may guard calls (${messageOf(error)}); mend it, or remove it`;
    throw new CordonError("LOAD_FAILED", text);
  }
}

/** What a hook is often called, and is not found by. */
const HOOK_LIKE = /\.(?:[cm]?js|[cm]ts|[jt]sx)$/;
const INDEX = /^index\.[cm]?[jt]sx?$/;

/**
 * Files of Cordon's own folders that a person may take for hooks: with another ending than `.ts`, or the `index` of a folder there.
 * They run only where a hook imports them. By folder.
 */
export function lookalikeFiles(cwd: string, home: string): Map<string, string[]> {
  const folders = [join(home, "hooks"), join(cwd, ...OWN_PROJECT)];
  return new Map(
    folders.flatMap((folder): [string, string[]][] => {
      const files = attemptOr(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
        if (!entry.isDirectory()) return HOOK_LIKE.test(entry.name) ? [entry.name] : [];
        const inside = attemptOr(() => readdirSync(join(folder, entry.name)), []);
        return inside.filter((name) => INDEX.test(name)).map((name) => join(entry.name, name));
      });
      return files.length > 0 ? [[folder, files.sort()]] : [];
    }),
  );
}

/** The `.ts` files of a folder, sorted by name; not its subfolders, and no `.d.ts`. */
function hookFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) =>
        (entry.isFile() || entry.isSymbolicLink()) && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"),
    )
    .map((entry) => join(folder, entry.name))
    .sort();
}
