import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const DANGEROUS = [/\brm\s+-[rf]{1,2}\b/, /\bsudo\b/, /\bmkfs\b/, /\bdd\s+if=/];

/** Asks before a dangerous command. Nobody watches a pipeline: there it is refused at once. */
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const command = event.input.command as string;
    if (!DANGEROUS.some((pattern) => pattern.test(command))) return undefined;
    if (process.env.CI === "true") return { block: true, reason: "dangerous command in CI" };
    const ok = await ctx.ui.confirm("Dangerous command", command);
    return ok ? undefined : { block: true, reason: "declined by the user" };
  });
}
