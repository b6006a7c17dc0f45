import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Long outputs as files of a folder of the session's own. */
export default function (pi: HookAPI) {
  let folder: string | undefined;

  pi.on("tool_result", async (event, ctx) => {
    const text = event.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (text.length < 40) return;
    folder ??= await mkdtemp(join(tmpdir(), "pi-scratch-"));
    await writeFile(join(folder, `${event.toolCallId}.txt`), text);
    ctx.ui.notify(`Output of ${event.toolCallId} kept`);
  });

  pi.on("session", async (event) => {
    if (event.reason === "shutdown" && folder) await rm(folder, { recursive: true, force: true });
  });
}
