import type { HookInfo } from "../../session/hook-info.ts";

const KEY = "cordon";

interface Standing {
  hooks: readonly HookInfo[];
  /** How many calls were blocked. */
  blocked: number;
  /** Hooks judge, and block nothing. */
  monitors: boolean;
}

/** `cordon: 3 hooks, 1 down, 2 blocked`. */
function statusLine({ hooks, blocked, monitors }: Standing): string {
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
  const down = hooks.filter(({ state }) => state === "failed" || state === "stopped").length;
  const pending = hooks.filter(({ state }) => state === "pending").length;
  return [
    `cordon: ${count(hooks.length - pending, "hook")}`,
    ...(monitors ? ["to monitor only"] : []),
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
