import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

/** Runs the tests after each prompt, and tells the agent when they fail. */
export default function (pi: HookAPI) {
  pi.on("agent_end", async (_event, ctx) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 120_000);
    try {
      const { code, killed } = await ctx.exec("node", ["--test"], { signal: controller.signal });
      if (killed) ctx.ui.notify("Tests took too long", "warning");
      else if (code !== 0) pi.send(`The tests fail (exit ${code}); please look at them.`);
    } finally {
      clearTimeout(timer);
    }
  });
}
