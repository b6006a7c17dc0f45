import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const QUIET_MS = 500;

/** When edits have come to rest, the agent hears what they amount to. */
export default function (pi: HookAPI) {
  const touched = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const tell = () => {
    execFile("git", ["diff", "--shortstat"], (error, stdout) => {
      if (error || !stdout.trim()) return;
      pi.send(`${[...touched].sort().join(", ")}: ${stdout.trim()}`);
      touched.clear();
    });
  };

  pi.on("tool_result", async (event, ctx) => {
    if (event.toolName !== "edit" && event.toolName !== "write") return;
    if (!existsSync(join(ctx.cwd, ".git"))) return;
    touched.add(relative(ctx.cwd, resolve(ctx.cwd, String(event.input.path))));
    clearTimeout(timer);
    timer = setTimeout(tell, QUIET_MS);
  });
}
