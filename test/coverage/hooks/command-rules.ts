import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

interface Rule {
  match: string;
  say: string;
}

const here = dirname(fileURLToPath(import.meta.url));

/** Rules from the file beside this one. */
export default function (pi: HookAPI) {
  const rules: Rule[] = JSON.parse(readFileSync(join(here, "command-rules.json"), "utf8"));
  console.log(`${rules.length} rules`);

  pi.on("tool_call", async (event) => {
    if (event.toolName !== "bash") return undefined;
    const rule = rules.find(({ match }) => new RegExp(match).test(event.input.command as string));
    return rule ? { block: true, reason: rule.say } : undefined;
  });
}
