import { counted } from "../../base/counted.ts";
import type { HookState } from "../../session/hook.ts";

const KEY = "cordon";

interface Standing {
  states: readonly HookState[];
  /** How many calls were blocked. */
  blocked: number;
  /** Hooks judge, and block nothing. */
  monitors: boolean;
  /** The session is recorded. */
  records: boolean;
}

/** `cordon: 3 hooks, 1 down, 2 blocked`. */
function statusLine({ states, blocked, monitors, records }: Standing): string {
  const down = states.filter((state) => state === "failed" || state === "stopped").length;
  const pending = states.filter((state) => state === "pending").length;
  return [
    `cordon: ${counted(states.length - pending, "hook")}`,
    ...(monitors ? ["to monitor only"] : []),
    ...(records ? ["recording"] : []),
    ...(pending > 0 ? [`${pending} not accepted`] : []),
    ...(down > 0 ? [`${down} down`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
  ].join(", ");
}

/** Shows it if it is not what `shown` says. Returns what is shown now. */
export function showStatus(
  ui: { setStatus(key: string, text: string): void },
  shown: string,
  standing: Standing,
): string {
  const line = statusLine(standing);
  if (line !== shown) ui.setStatus(KEY, line);
  return line;
}
