import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

let cached: { at: number; forbidden: string[] } | undefined;

async function forbiddenTools(): Promise<string[]> {
  const file = process.env.PI_TEAM_CONFIG ?? join(homedir(), ".config", "pi-team.json");
  const { mtimeMs } = await stat(file);
  if (cached?.at !== mtimeMs) cached = { at: mtimeMs, ...JSON.parse(await readFile(file, "utf8")) };
  return cached?.forbidden ?? [];
}

/** Tools that the team does without, from a file that is read again when it changes. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    try {
      if (!(await forbiddenTools()).includes(event.toolName)) return undefined;
      return { block: true, reason: `The team does without ${event.toolName}` };
    } catch (error) {
      console.error("team config:", (error as Error).message);
      return undefined;
    }
  });
}
