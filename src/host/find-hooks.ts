import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { CordonError } from "../base/errors.ts";
import { command } from "../base/shell-word.ts";
import { resolveHookPath } from "../disk/paths.ts";
import { userFolder } from "../disk/user-folder.ts";
import { checkGrant } from "../grants/grant.ts";
import { findManifest } from "../grants/manifest.ts";
import { Hook, type Origin } from "../session/hook.ts";
import type { HookHostOptions, HookOption } from "../session/options.ts";
import type { Grants } from "../store/grants-text.ts";
import { discover, type Found, type Settings } from "./discover.ts";
import { installedHooks } from "./installed.ts";
import { fileOfHook } from "./named-hook.ts";

/** The hooks of a session. `notices`: what a person should know about them. */
export interface FoundHooks {
  hooks: Hook[];
  notices: string[];
}

/**
 * Finds the hooks of a session, in load order: Cordon's folders, pi's and its settings, installed hooks, then those that the
 * agent names.
 * Builds nothing. Throws `BAD_GRANT` for two hooks with one id, and for a bad grant. A project's lock must not keep a session
 * from starting: if its hook has the id of another hook, it is left out.
 *
 * @param settings those of pi, if its folders are looked at
 */
export function findHooks(
  options: HookHostOptions,
  agentDir: string,
  home: string,
  settings: Settings | undefined,
  grants: Grants,
): FoundHooks {
  const { cwd } = options;
  const looks = options.discover !== false;
  const installed = looks ? installedHooks(home, cwd) : { hooks: [] };
  const notices = installed.problem === undefined ? [] : [`${installed.problem}: this project proposes no hooks`];
  if (looks && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    notices.push(`there is no folder ${cwd}: the hooks of a project there are not found`);
  const found: (Found & { option?: HookOption; id?: string; key?: string })[] = looks
    ? [...discover({ home, agentDir, cwd, settings, grants }), ...installed.hooks]
    : [];
  for (const given of options.hooks ?? []) {
    const option = typeof given === "string" ? { path: given } : given;
    const realPath = fileOfHook(resolveHookPath(option.path, cwd));
    found.push({ path: option.path, realPath, origin: { kind: "option" }, option });
  }
  const hooks: Hook[] = [];
  const leftOut = new Set<Hook>();
  for (const { path, realPath, origin, option, isNamed, id: known, key } of found) {
    // A file that is found twice is one hook, at the position of the first. Naming it makes it the user's own.
    const twin = hooks.findIndex((hook) => hook.realPath === realPath);
    if (twin >= 0 && !option && !(isNamed && hooks[twin]?.origin.kind === "project")) continue;
    const id = option?.id ?? known ?? defaultId(realPath, origin);
    const namesake = hooks.find((hook) => hook.id === id && hook.realPath !== realPath);
    if (namesake) {
      const [first, second] = [isOfLock(namesake.origin), isOfLock(origin)];
      if (!first && !second)
        throw new CordonError(
          "BAD_GRANT",
          `two hooks have the id ${id}: ${namesake.path} and ${path}; ${apart(namesake.origin, origin, id)}`,
        );
      notices.push(`the hook ${id} of this project's lock is left out: another one has its id`);
      if (second) continue;
      leftOut.add(namesake);
    }
    const given = option?.grant && checkGrant(option.grant, `hook ${id}: grant`);
    const trusted = option?.trust === "full";
    // Commands know what an agent calls a hook that it names if something was granted by that name.
    const typed = option && !(option.id !== undefined && grants.has(id)) ? realPath : id;
    const root = dirname(realPath);
    // A file that is named has its own grants, whatever its package is called: another one of that name may be installed.
    const ownKey = hooks[twin]?.key ?? (option && option.id === undefined ? realPath : id);
    const hook = new Hook({ id, key: key ?? ownKey, typed, path, realPath, root, origin, trusted, given });
    hooks.splice(twin >= 0 ? twin : hooks.length, twin >= 0 ? 1 : 0, hook);
  }
  const left = hooks.filter((hook) => !leftOut.has(hook));
  for (const [at, hook] of left.entries()) hook.loadOrder = at;
  for (const namesakes of Map.groupBy(left, ({ name }) => name).values())
    if (namesakes.length > 1) for (const hook of namesakes) hook.hasNamesake = true;
  return { hooks: left, notices };
}

/**
 * How a person gets along with two hooks of one id. None of them replaces the other: a package says itself how it is called, and
 * one that a person tries out must not put a guard of the same name out of force.
 */
function apart(one: Origin, other: Origin, id: string): string {
  const named = [one, other].filter(({ kind }) => kind === "option").length;
  if (named === 2) return "give one of them another id: { path, id }";
  if (named === 1) return "to run the named one alone: --no-discover, or the option discover: false";
  return `to keep one: ${command`cordon remove ${id}`}, or take the other's file or setting away`;
}

/** True if a project's lock names the hook, or did so when it was accepted. */
const isOfLock = (origin: Origin): boolean => origin.kind === "installed" && origin.ofProject !== undefined;

const PACKAGE_NAME = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/**
 * The default id of a hook: its package's name if the user named the hook, else its real path. A project's hook always has
 * its path, since a package's name would give it that package's grants.
 */
function defaultId(realPath: string, origin: Origin): string {
  if (origin.kind === "project") return realPath;
  try {
    const { packageName, manifest, root } = findManifest(realPath);
    if (packageName === undefined || !PACKAGE_NAME.test(packageName)) return realPath;
    return (manifest?.hooks?.length ?? 0) > 1 ? `${packageName}#${relative(root, realPath)}` : packageName;
  } catch {
    return realPath;
  }
}

/** Folders whose programs are not run for hooks: the working directory, and the repository that contains it. */
export function workspacesOf(cwd: string): string[] {
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) {
    if (folder !== userFolder() && existsSync(join(folder, ".git"))) return [cwd, folder];
  }
  return [cwd];
}
