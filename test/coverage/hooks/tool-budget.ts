import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const BUDGET = 3;

/** So many tool calls for a prompt, and no more. */
export default function (pi: HookAPI) {
  const calls: Record<string, number> = {};

  pi.on("agent_start", async () => {
    for (const name of Object.keys(calls)) delete calls[name];
  });

  pi.on("tool_call", async (event) => {
    const total = Object.values(calls).reduce((sum, one) => sum + one, 0);
    if (total >= BUDGET) {
      console.warn("budget used up:", calls);
      return { block: true, reason: `Budget of ${BUDGET} tool calls used up; sum up what you know.` };
    }
    calls[event.toolName] = (calls[event.toolName] ?? 0) + 1;
    return undefined;
  });
}
