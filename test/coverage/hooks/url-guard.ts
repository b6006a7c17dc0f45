import { readFileSync } from "node:fs";
import { join } from "node:path";
import { URL } from "node:url";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

function hostsIn(command: string): string[] {
  return (command.match(/https?:\/\/[^\s"']+/g) ?? []).map((text) => new URL(text).hostname);
}

/** Downloads only from hosts on the project's list. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash" || !/\b(curl|wget)\b/.test(String(event.input.command))) return undefined;
    let allowed: string[] = [];
    try {
      allowed = readFileSync(join(ctx.cwd, ".pi", "hosts.txt"), "utf8")
        .split("\n")
        .filter(Boolean);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    const other = hostsIn(String(event.input.command)).find(
      (host) => !allowed.some((one) => `.${host}`.endsWith(`.${one}`)),
    );
    return other ? { block: true, reason: `${other} is not on the list` } : undefined;
  });
}
