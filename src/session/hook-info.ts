import type { Hook, HookState } from "./hook.ts";

/** A hook, as an agent sees it. */
export interface HookInfo {
  id: string;
  path: string;
  dialect: string;
  digest: string | undefined;
  /** Digest of the files in its folder, if these are not what runs. */
  offered?: string;
  state: HookState;
  /** Event types it has handlers for. */
  events: string[];
  /** Parts of its agent's API that it used while it loaded and that Cordon does not offer, such as `pi.registerTool`. */
  unsupported?: readonly string[];
  reason?: string;
  /** Its name in the user's grants, if that is not its id: for hooks that are installed for a project. */
  key?: string;
}

/** A hook as it is now, for agents. */
export function infoOf(hook: Hook): HookInfo {
  const reason = hook.failure?.summary ?? hook.changed;
  return {
    id: hook.id,
    path: hook.path,
    dialect: hook.dialect,
    digest: hook.digest,
    ...(hook.offered !== undefined && hook.offered !== hook.digest ? { offered: hook.offered } : {}),
    state: hook.state,
    events: [...hook.events].filter(([, count]) => count > 0).map(([type]) => type),
    ...(hook.unsupported.length > 0 ? { unsupported: hook.unsupported } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(hook.key === hook.id ? {} : { key: hook.key }),
  };
}
