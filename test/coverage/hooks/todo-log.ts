import { appendFileSync } from "node:fs";
import { EOL } from "node:os";
import * as path from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Keeps every TODO that the agent writes. */
export default function (pi: HookAPI) {
  pi.on("tool_result", async (event, ctx) => {
    if (event.toolName !== "write" || event.isError) return;
    const file = path.relative(ctx.cwd, path.resolve(ctx.cwd, event.input.path as string));
    const lines = String(event.input.content).split("\n");
    for (const [index, line] of lines.entries()) {
      const todo = /\bTODO:?\s*(.+)/.exec(line)?.[1];
      if (todo) appendFileSync(path.join(ctx.cwd, "TODO.log"), `${file}:${index + 1} ${todo.trim()}${EOL}`);
    }
  });
}
