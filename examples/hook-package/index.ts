import type { HookAPI } from "cordon/hooks";

const FORCED = /\bgit\s+push\b.*\s(--force\b|-f\b)/;

export default function noForcePush(pi: HookAPI) {
  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    const command = String(input.command);
    if (toolName !== "bash" || !FORCED.test(command)) return;
    if (ctx.hasUI && (await ctx.ui.confirm("Force push?", command))) return;
    return { block: true, reason: "a force push needs a person's yes" };
  });
}
