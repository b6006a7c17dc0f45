import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** A cleared session cannot be had back: asks first, and counts the turns that would be lost. */
export default function (pi: HookAPI) {
  let turns = 0;
  pi.on("turn_end", async () => {
    turns++;
  });

  pi.on("session", async (event, ctx) => {
    if (event.reason === "clear" || event.reason === "switch") turns = 0;
    if (event.reason !== "before_clear" && event.reason !== "before_switch") return undefined;
    if (turns === 0 || !ctx.hasUI) return undefined;
    const ok = await ctx.ui.confirm("Leave this session?", `${turns} turn(s) are in it.`);
    return ok ? undefined : { cancel: true };
  });
}
