import type { HookHost } from "./host.ts";
import type { OfferedTool } from "./offers.ts";
import type { AgentTool } from "./wrap-tools.ts";

/**
 * The tools that hooks offer now, as tools of pi's agent core: an error is thrown. Like the agent's own, they go through
 * `wrapToolsWithHooks`, so that gates judge them.
 */
export const offeredTools = (host: HookHost): (OfferedTool & AgentTool)[] =>
  host.offers.tools.map((tool) => ({
    ...tool,
    async execute(toolCallId, params: unknown, signal, onUpdate) {
      const { isError, ...output } = await host.offers.runTool(tool.name, params, {
        toolCallId,
        ...(signal ? { signal } : {}),
        ...(onUpdate ? { onUpdate: (partial) => onUpdate(partial as never) } : {}),
      });
      if (!isError) return output;
      throw new Error(output.content.map((item) => (item.type === "text" ? item.text : "[image]")).join("\n"));
    },
  }));
