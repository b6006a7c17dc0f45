import { dirname } from "node:path";
import { isPowerful } from "../grants/grant.ts";
import type { Hook } from "../session/hook.ts";

/**
 * The key of the process that a hook runs in. Hooks of one origin share a process, and crash together. A hook with more
 * powers than hearing and asking has its own, since whoever takes over a process has the grants of all hooks in it.
 */
export function placement(hook: Hook): string {
  if (isPowerful(hook.grant)) return `own:${hook.id}`;
  switch (hook.origin.kind) {
    case "user":
    case "project":
    case "installed":
      return `${hook.origin.kind}:${hook.origin.folder}`;
    default:
      return `folder:${dirname(hook.realPath)}`;
  }
}
