import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const PROTECTED = ["main", "master", "release"];

/** No commits to the branches that others build on. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash" || !/\bgit\s+(commit|merge|rebase)\b/.test(event.input.command as string)) return;
    if (process.env.PI_ALLOW_MAIN === "1" || !existsSync(join(ctx.cwd, ".git"))) return;
    const branch = execFileSync("git", ["rev-parse", "--abbrev-ref", "HEAD"], { cwd: ctx.cwd }).toString().trim();
    if (PROTECTED.includes(branch)) return { block: true, reason: `${branch} is protected: make a branch first` };
    return;
  });
}
