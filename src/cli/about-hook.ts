import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { historyIn } from "../audit/history.ts";
import { defaultHome } from "../disk/home.ts";
import { realPathOf } from "../disk/paths.ts";
import type { HookInfo } from "../session/hook-info.ts";
import { readUserGrants } from "../store/grants-file.ts";
import { entryName, grantsPath } from "../store/grants-text.ts";
import { askWhether } from "./ask.ts";
import { type ProjectFlags, Refused } from "./common.ts";
import { type Here, hookHere, hooksHere, sessionHere } from "./here.ts";
import { shortName, UnknownHook } from "./names.ts";
import { onTerminal } from "./terminal.ts";

/** What a command about one hook works on. `path`: the user's grants; `id`: the shortest name of the hook here. */
export function about(name: string, flags: ProjectFlags, find = hookHere) {
  const home = defaultHome();
  const cwd = resolve(flags.cwd ?? ".");
  const here = hooksHere(cwd, home);
  const hook = find(name, here, cwd);
  return { home, cwd, path: grantsPath(home), hook, id: shortName(hook, here) };
}

/** The hook that a person names, or a file that no session here finds: another session may have it. */
export function hookOrFile(name: string, here: readonly Here[], cwd: string): Here {
  try {
    return hookHere(name, here, cwd);
  } catch (error) {
    const path = resolve(cwd, name);
    if (!(error instanceof UnknownHook) || !existsSync(path)) throw error;
    const file = realPathOf(path);
    return { id: file, key: file, path: file, realPath: file, origin: undefined };
  }
}

/**
 * What a command works on that takes a hook out of running sessions: also a file that is gone, if a session had it. There it blocks on.
 * Rejects if nothing is known of the name.
 */
export async function aboutHookOrGone(name: string, flags: ProjectFlags): Promise<ReturnType<typeof about>> {
  try {
    return about(name, flags, hookOrFile);
  } catch (error) {
    const gone = realPathOf(resolve(flags.cwd ?? ".", name));
    const isKnown = error instanceof UnknownHook && (await historyIn(defaultHome())).get(gone)?.onlyTried === false;
    if (!isKnown) throw error;
    return about(name, flags, () => ({ id: gone, key: gone, path: gone, realPath: gone, origin: undefined }));
  }
}

/** Asks the person at the terminal. Throws if there is none, or if they do not want it. */
export async function sure(message: string): Promise<void> {
  const isSure = await onTerminal(
    (terminal) => askWhether(message, terminal),
    () => {
      throw new Refused(`this needs a terminal with a person at it, and nothing was changed; it asks: ${message}`);
    },
  );
  if (!isSure) throw new Refused("nothing was changed");
}

/** The name that a hook's entry in the user's grants has, or gets. */
export function keyOf({ key, realPath, origin }: Here, home: string): string {
  return entryName(readUserGrants(home), key, realPath) ?? (origin?.kind === "installed" ? key : realPath);
}

/** The state of a hook in a session that starts now. */
export async function stateOf(known: Here, cwd: string, home: string): Promise<HookInfo> {
  const file = known.origin === undefined && existsSync(known.realPath) ? known.realPath : undefined;
  const { hooks } = await sessionHere(cwd, home, file);
  const hook = hooks.find((one) => (file === undefined ? (one.key ?? one.id) === known.key : one.path === file));
  if (hook) return hook;
  throw new Refused(`${known.key} has an entry in ${grantsPath(home)}, and no hook that is found here is called so`);
}
