import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Asks before shell commands that are hard to undo. Blocks them if there is nobody to ask. */
const DANGEROUS = [
  /\brm\s+(-[a-z]*[rf]|--recursive|--force)/i,
  /\bsudo\b/i,
  /\b(chmod|chown)\b.*\b0?777\b/i,
  /\bgit\s+push\b.*(--force|\s-f\b)/i,
];

export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command);
    if (!DANGEROUS.some((pattern) => pattern.test(command))) return undefined;
    if (!ctx.hasUI) return { block: true, reason: "Dangerous command, and nobody to ask" };
    const choice = await ctx.ui.select(`Dangerous command:\n\n  ${command}\n\nAllow?`, ["Yes", "No"]);
    return choice === "Yes" ? undefined : { block: true, reason: "The user said no to this command" };
  });
}
