import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" });

/** A commit for each turn that changed something, unless a merge is under way. */
export default function (pi: HookAPI) {
  pi.on("turn_end", async (event, ctx) => {
    if (process.env.PI_NO_COMMIT || existsSync(join(ctx.cwd, ".git", "MERGE_HEAD"))) return;
    if (git(ctx.cwd, "status", "--porcelain") === "") return;
    git(ctx.cwd, "add", "--all");
    git(ctx.cwd, "commit", "--quiet", "-m", `wip: turn ${event.turnIndex}`);
    ctx.ui.notify(`Committed turn ${event.turnIndex}`);
  });
}
