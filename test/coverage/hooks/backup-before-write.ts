import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Keeps what a write would overwrite. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "write") return undefined;
    const file = resolve(ctx.cwd, event.input.path as string);
    if (!existsSync(file)) return undefined;
    const project = createHash("sha1").update(ctx.cwd).digest("hex").slice(0, 8);
    const folder = join(tmpdir(), "pi-backups", project);
    await mkdir(folder, { recursive: true });
    await copyFile(file, join(folder, String(event.input.path).replaceAll("/", "_")));
    return undefined;
  });
}
