import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** One line of a .gitignore as an expression; the rare forms are left out. */
function toRegExp(line: string): RegExp {
  const glob = line.replace(/^\/|\/$/g, "").replace(/[.+^${}()|[\]\\]/g, "\\$&");
  const body = glob.replace(/\*\*/g, "\0").replace(/\*/g, "[^/]*").replace(/\0/g, ".*").replace(/\?/g, "[^/]");
  return new RegExp(`${line.startsWith("/") ? "^" : "(^|/)"}${body}(/|$)`);
}

/** What git ignores is built, downloaded or secret: nothing for the agent to read. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    const file = join(ctx.cwd, ".gitignore");
    if (event.toolName !== "read" || !existsSync(file)) return undefined;
    const lines = readFileSync(file, "utf8")
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "" && !line.startsWith("#"));
    const asked = relative(ctx.cwd, resolve(ctx.cwd, event.input.path as string))
      .split(sep)
      .join("/");
    const line = lines.find((one) => toRegExp(one).test(asked));
    return line ? { block: true, reason: `${asked} is ignored by git (${line})` } : undefined;
  });
}
