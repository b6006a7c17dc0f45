import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Saves the work tree as a stash at each turn, and restores it when the user branches back to that turn. */
export default function (pi: HookAPI) {
  const checkpoints = new Map<number, string>();

  pi.on("turn_start", async (event, ctx) => {
    const { stdout } = await ctx.exec("git", ["stash", "create"]);
    const commit = stdout.trim();
    if (commit) checkpoints.set(event.turnIndex, commit);
  });

  pi.on("session", async (event, ctx) => {
    if (event.reason !== "before_branch" || !ctx.hasUI) return;
    const commit = checkpoints.get(event.targetTurnIndex);
    if (!commit) return;
    const choice = await ctx.ui.select("Restore the files of that turn?", [
      "Yes, restore them",
      "No, keep them as they are",
    ]);
    if (!choice?.startsWith("Yes")) return;
    const { code, stderr } = await ctx.exec("git", ["stash", "apply", commit]);
    ctx.ui.notify(code === 0 ? "Files restored" : `Not restored: ${stderr.trim()}`, code === 0 ? "info" : "error");
  });
}
