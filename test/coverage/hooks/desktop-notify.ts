import { execFile } from "node:child_process";
import { platform } from "node:os";
import { basename } from "node:path";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** A word on the desktop when the agent is done. */
export default function (pi: HookAPI) {
  let started = Date.now();
  pi.on("agent_start", async () => {
    started = Date.now();
  });

  pi.on("agent_end", async (_event, ctx) => {
    const least = Number(process.env.PI_NOTIFY_AFTER_MS ?? 10_000);
    if (Date.now() - started < least) return;
    const text = `Done in ${basename(ctx.cwd)}`;
    const [program, ...args] =
      platform() === "darwin" ? ["osascript", "-e", `display notification "${text}"`] : ["notify-send", "pi", text];
    execFile(program as string, args, (error) => {
      if (error) ctx.ui.notify(text, "info");
    });
  });
}
