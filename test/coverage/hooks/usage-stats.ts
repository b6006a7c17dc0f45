import { EventEmitter } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const FILE = join(homedir(), ".pi", "usage.json");
const meter = new EventEmitter();

/** Adds up what turns cost. */
export default function (pi: HookAPI) {
  const totals = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : { turns: 0, tokens: 0 };

  meter.on("turn", (tokens: number) => {
    totals.turns++;
    totals.tokens += tokens;
  });
  meter.once("turn", () => console.info("counting"));

  pi.on("turn_end", async ({ message }) => {
    meter.emit("turn", message.role === "assistant" ? message.usage.input + message.usage.output : 0);
  });
  pi.on("agent_end", async (_event, ctx) => {
    await writeFile(FILE, JSON.stringify(totals));
    ctx.ui.notify(`${totals.turns} turns, ${totals.tokens} tokens`, "info");
  });
}
