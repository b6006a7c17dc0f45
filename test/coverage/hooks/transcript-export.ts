import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Every prompt with its answer as a file of its own. */
export default function (pi: HookAPI) {
  pi.on("agent_end", async (event, ctx) => {
    const folder = join(ctx.cwd, "transcripts");
    if (!existsSync(folder)) mkdirSync(folder);
    let commit: string | null = null;
    try {
      commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ctx.cwd, encoding: "utf8" }).trim();
    } catch {
      console.warn("no commit to name");
    }
    const roles = event.messages.map((message) => message.role);
    writeFileSync(join(folder, `${Date.now()}.json`), JSON.stringify({ commit, roles }, null, 2));
  });
}
