import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { URL } from "node:url";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const CACHE = join(homedir(), ".cache", "pi-shared-rules.json");

/** The company's list of forbidden commands, from its server or as it was last time. */
export default function (pi: HookAPI) {
  let forbidden: string[] = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, "utf8")) : [];

  pi.on("session", async (event) => {
    if (event.reason !== "start" || !process.env.PI_RULES_URL) return;
    try {
      forbidden = (await (await fetch(new URL("forbidden.json", process.env.PI_RULES_URL))).json()) as string[];
      mkdirSync(dirname(CACHE), { recursive: true });
      writeFileSync(CACHE, JSON.stringify(forbidden));
    } catch (error) {
      console.warn("rules from the cache:", (error as Error).message);
    }
  });

  pi.on("tool_call", async (event) => {
    const word = forbidden.find((one) => String(event.input.command).includes(one));
    return word ? { block: true, reason: `"${word}" is forbidden here` } : undefined;
  });
}
