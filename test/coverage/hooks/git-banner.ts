import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const run = promisify(execFile);

/** Where one is, at the start of a session. */
export default function (pi: HookAPI) {
  pi.on("session", async (event, ctx) => {
    if (event.reason !== "start" || !existsSync(join(ctx.cwd, ".git"))) return;
    try {
      const [head, dirty] = await Promise.all([
        run("git", ["log", "-1", "--format=%an: %s"], { cwd: ctx.cwd, timeout: 5000 }),
        run("git", ["status", "--porcelain"], { cwd: ctx.cwd, timeout: 5000 }),
      ]);
      const changes = dirty.stdout.split("\n").filter(Boolean).length;
      ctx.ui.notify(`${head.stdout.trim()} (${changes} changed)`, changes > 0 ? "warning" : "info");
    } catch (error) {
      console.error("git:", error);
    }
  });
}
