import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, normalize } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Paths nobody may write: the project's list, or else the user's own. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "write" && event.toolName !== "edit") return undefined;
    const lists = [join(ctx.cwd, ".pi", "protected.json"), join(homedir(), ".pi", "protected.json")];
    const list = lists.find((file) => existsSync(file));
    if (!list) return undefined;
    const { paths } = JSON.parse(readFileSync(list, "utf-8")) as { paths: string[] };
    const target = normalize(event.input.path as string);
    const rule = paths.find((path) => target === path || target.startsWith(path));
    if (!rule) return undefined;
    console.log(`${target} is covered by ${rule} in ${list}`);
    return { block: true, reason: `${target} is protected` };
  });
}
