import type { HookAPI } from "cordon/hooks";

/** Commands that nobody wants to run by mistake. */
const DANGEROUS = [
  /\brm\s+(-\S+\s+)*-\w*(r\w*f|f\w*r)/i,
  /\bgit\s+push\b.*\s(--force(?!-)|-f)\b/,
  /\bgit\s+reset\s+--hard\b/,
  /\b(curl|wget)\b.*\|\s*(ba|z)?sh\b/,
];

export default function guard(pi: HookAPI) {
  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    const command = String(input.command);
    if (toolName !== "bash" || !DANGEROUS.some((pattern) => pattern.test(command))) return;
    if (ctx.hasUI && (await ctx.ui.confirm("Run this command?", command))) return;
    return { block: true, reason: "a dangerous command needs a person's yes" };
  });
}
