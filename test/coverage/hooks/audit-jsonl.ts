import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, mkdir } from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const FOLDER = path.join(os.homedir(), ".pi", "audit");

/** One line for each tool call, chained by hash, written in batches. */
export default function (pi: HookAPI) {
  const session = randomUUID();
  let last = "0".repeat(64);
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = async () => {
    timer = undefined;
    const text = lines.join("");
    lines = [];
    await mkdir(FOLDER, { recursive: true });
    await appendFile(path.join(FOLDER, "calls.jsonl"), text, "utf8");
  };

  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    if (existsSync(path.join(ctx.cwd, ".no-audit"))) return undefined;
    const line = JSON.stringify({ session, toolName, input, last });
    last = createHash("sha256").update(line).digest("hex");
    lines.push(`${line}\n`);
    if (timer === undefined) timer = setTimeout(() => flush().catch((error) => console.error(error)), 100);
    return undefined;
  });
}
