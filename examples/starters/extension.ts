import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** Commands that nobody wants to run by mistake. */
const DANGEROUS = [
  /\brm\s+(-\S+\s+)*-\w*(r\w*f|f\w*r)/i,
  /\bgit\s+push\b.*\s(--force(?!-)|-f)\b/,
  /\bgit\s+reset\s+--hard\b/,
  /\b(curl|wget)\b.*\|\s*(ba|z)?sh\b/,
];

export default function guard(pi: ExtensionAPI) {
  let stopped = 0;

  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    const command = String((input as { command?: unknown }).command);
    if (toolName !== "bash" || !DANGEROUS.some((pattern) => pattern.test(command))) return;
    if (ctx.hasUI && (await ctx.ui.confirm("Run this command?", command))) return;
    stopped++;
    return { block: true, reason: "a dangerous command needs a person's yes" };
  });

  pi.registerCommand("stopped", {
    description: "Say how many dangerous commands were stopped",
    handler: async (_args, ctx) => ctx.ui.notify(`Dangerous commands stopped: ${stopped}`, "info"),
  });
}
