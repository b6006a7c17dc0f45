import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** This house uses pnpm. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command);
    const changed = command.replace(/\bnpm (install|run|test|ci)\b/g, "pnpm $1");
    if (changed !== command) {
      event.input.command = changed;
      ctx.ui.notify(`${command} -> ${changed}`, "info");
    }
    return undefined;
  });
}
