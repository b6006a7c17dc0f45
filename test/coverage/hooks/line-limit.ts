import { Buffer } from "node:buffer";
import * as fs from "node:fs";
import * as path from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const MAX_LINES = 5;
const NEWLINE = 0x0a;

function linesOf(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** A file that grew too long is to be split before it is edited again. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "edit") return undefined;
    const before = fs.readFileSync(path.join(ctx.cwd, event.input.path as string));
    const added = linesOf(Buffer.from(String(event.input.newText), "utf8"));
    const lines = linesOf(before) + added;
    if (lines <= MAX_LINES) return undefined;
    return { block: true, reason: `${event.input.path} would have ${lines} lines: split it (${before.length} bytes)` };
  });
}
