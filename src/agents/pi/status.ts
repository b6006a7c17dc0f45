import type { HookInfo } from "../../session/hook-info.ts";

const KEY = "cordon";

/** `cordon: 3 hooks, 1 down, 2 calls blocked`. */
function statusLine(hooks: readonly HookInfo[], blocked: number): string {
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
  const down = hooks.filter(({ state }) => state === "failed" || state === "stopped").length;
  const pending = hooks.filter(({ state }) => state === "pending").length;
  return [
    `cordon: ${count(hooks.length - pending, "hook")}`,
    ...(pending > 0 ? [`${pending} not accepted`] : []),
    ...(down > 0 ? [`${down} down`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
  ].join(", ");
}

/** Shows it if it is not what `shown` says. Returns what is shown now. */
export function showStatus(
  ui: { setStatus(key: string, text: string): void },
  shown: string,
  hooks: readonly HookInfo[],
  blocked: number,
): string {
  const line = statusLine(hooks, blocked);
  if (line !== shown) ui.setStatus(KEY, line);
  return line;
}
