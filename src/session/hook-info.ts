import type { HookState } from "./hook.ts";

/** What an agent sees of a hook. */
export interface HookInfo {
  id: string;
  path: string;
  dialect: string;
  digest: string | undefined;
  /** What stands in its folder now, where that is not what runs. */
  offered?: string;
  state: HookState;
  /** Event types it has handlers for. */
  events: string[];
  /** Parts of its agent's API that it wanted while it loaded and goes without, such as `pi.registerTool`. */
  unsupported?: readonly string[];
  reason?: string;
  /** Its name in the user's grants, where that is not its id: of what is installed for a project. */
  key?: string;
}
