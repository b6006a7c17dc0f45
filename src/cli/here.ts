import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { realPathOf } from "../disk/paths.ts";
import { defaultCapabilities, type GrantEntry } from "../grants/grant.ts";
import type { Capabilities } from "../grants/schema.ts";
import { staleOf, staleText } from "../grants/stale-grant.ts";
import { defaultAgentDir, readSettings } from "../host/discover.ts";
import { findHooks } from "../host/find-hooks.ts";
import type { HookHost } from "../host/host.ts";
import { grantAgain } from "../report/typed.ts";
import type { Origin } from "../session/hook.ts";
import { readUserGrants } from "../store/grants-file.ts";
import type { Grants } from "../store/grants-text.ts";
import { idIn, projectOf } from "../store/hooks-lock.ts";
import { hookNamed, type Named } from "./names.ts";

/** A hook of the user or of this project. `origin`: `undefined` for a hook that only the grants name. */
export interface Here extends Named {
  realPath: string;
  origin: Origin | undefined;
}

/** The hooks that can be named from this folder: those that a session finds, and those in the grants. Builds nothing. */
export function hooksHere(cwd: string, home: string, grants: Grants = readUserGrants(home)): Here[] {
  const agentDir = defaultAgentDir();
  const found = findHooks({ cwd }, agentDir, home, readSettings(agentDir), grants);
  const hooks = found.hooks.map(({ id, key, path, realPath, origin }): Here => {
    const ofProject = origin.kind === "installed" && origin.ofProject !== undefined;
    return { id, key, path, realPath, origin, ofProject };
  });
  const known = new Set(hooks.map(({ key }) => key));
  const project = realPathOf(cwd);
  const granted = [...grants.keys()].filter((key) => !known.has(key));
  const taken = new Set(hooks.map(({ id }) => id));
  const onlyGranted = granted.map((key): Here => {
    // If two hooks have one id, it means the one that runs.
    const own = idIn(key, projectOf(key) === undefined ? undefined : project);
    const id = own === undefined || taken.has(own) ? key : own;
    const elsewhere = id === key && projectOf(key) !== undefined;
    return { id, key, path: key, realPath: key, origin: undefined, elsewhere };
  });
  return [...hooks, ...onlyGranted];
}

/** A hook of the user's own: it needs no acceptance, and runs on as its files are. */
export const isOwn = ({ origin }: Here): boolean => origin?.kind === "user" || origin?.kind === "settings";

/** Whether a grant is for files of a user's own hook as they were before. `digest`: as they are, if they can be built. */
export const isStale = (hook: Here, entry: GrantEntry | undefined, digest: string | undefined): boolean =>
  isOwn(hook) && entry?.digest !== undefined && digest !== undefined && entry.digest !== digest;

/** What a hook lost by a change of its files, each with the command that grants it again. `name`: as a person types it. */
export const staleLines = (name: string, entry: GrantEntry | undefined): string[] =>
  staleOf(entry).map((one) => {
    const again = grantAgain(name, one);
    return `${staleText(one)}${again === undefined ? "" : `; run: ${again}`}`;
  });

/** The powers that a person decided on, and that hold. A user's own hooks have the default powers without a grant. */
export const powersHere = (hook: Here, entry: GrantEntry | undefined, digest?: string): Capabilities =>
  (isStale(hook, entry, digest) ? undefined : entry?.capabilities) ?? (isOwn(hook) ? defaultCapabilities() : {});

/** Starts a session, closes it, and returns what it made of the hooks here. `file`: also of this one. */
export async function sessionHere(
  cwd: string,
  home: string,
  file?: string,
): Promise<Pick<HookHost, "hooks" | "notices">> {
  // Most commands need no host.
  const { HookHost } = await import("../host/host.ts");
  const host = await HookHost.start({
    cwd,
    home,
    hooks: file === undefined ? [] : [file],
    spare: false,
    trial: true,
    log: () => {},
  });
  await host.close();
  return host;
}

/** Finds the hook that a person names from this folder, also by a path. */
export function hookHere(name: string, here: readonly Here[], cwd: string): Here {
  const path = resolve(cwd, name);
  // The path of a file in this folder means that file.
  const file = isAbsolute(name) || name.includes("/") || existsSync(path) ? realPathOf(path) : "";
  return hookNamed(name, here, file);
}
