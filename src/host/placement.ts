import { dirname } from "node:path";
import { isPowerful } from "../grants/grant.ts";
import type { Hook } from "../session/hook.ts";

/**
 * The process a hook goes to. Hooks of one origin share one, and fate. A hook with more powers than
 * hearing and asking has its own: whoever owns a process speaks with the grants of all in it.
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
