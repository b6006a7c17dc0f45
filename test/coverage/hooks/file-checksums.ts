import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const sumOf = (file: string) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");

/** What somebody else changed since the agent read it must be read again first. */
export default function (pi: HookAPI) {
  const seen = new Map<string, string>();

  pi.on("tool_result", async (event, ctx) => {
    if (!["read", "write", "edit"].includes(event.toolName) || event.isError) return;
    const file = path.resolve(ctx.cwd, event.input.path as string);
    if (fs.existsSync(file)) seen.set(file, sumOf(file));
  });

  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "edit") return undefined;
    const file = path.resolve(ctx.cwd, event.input.path as string);
    const known = seen.get(file);
    if (!known || known === sumOf(file)) return undefined;
    return { block: true, reason: `${path.basename(file)} changed since it was read: read it again` };
  });
}
