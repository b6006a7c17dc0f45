import type { HookState } from "./hook.ts";

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
