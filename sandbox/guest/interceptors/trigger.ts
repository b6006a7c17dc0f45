import { type InterceptorRegistry, normalizeToolName } from "./registry.ts";
import { reconciled, textOf, withOutput } from "./result-text.ts";
import type {
  AgentToolResult,
  InterceptorInput,
  InterceptorName,
  InterceptorOutput,
  InterceptorRegistration,
  ToolAfterOutput,
  ToolBeforeOutput,
} from "./types.ts";

/** The reason of a block for which the interceptor gave none. */
export const DEFAULT_BLOCK_REASON = "Blocked by interceptor";

/** The result of a blocked tool call. */
export interface BlockedResult {
  status: "blocked";
  /** Normalised. */
  tool: string;
  reason: string;
}

export const blockedResult = (toolName: string, reason = DEFAULT_BLOCK_REASON): BlockedResult => ({
  status: "blocked",
  tool: normalizeToolName(toolName),
  reason,
});

/** Runs the matching interceptors one after the other on one `output`, and returns it. Rejects if one throws. */
export async function triggerInterceptors<N extends InterceptorName>(
  registry: InterceptorRegistry,
  name: N,
  input: InterceptorInput[N],
  output: InterceptorOutput[N],
): Promise<InterceptorOutput[N]> {
  const context = "toolName" in input ? input.toolName : input.agentId;
  const matching: InterceptorRegistration<N>[] = registry.get(name, context);
  for (const registration of matching) {
    const before = name === "tool.after" ? textOf((output as ToolAfterOutput).result.content) : undefined;
    await registration.handler(input, output);
    if (name !== "tool.after") continue;
    const holder = output as ToolAfterOutput;
    holder.result = reconciled(holder.result, before);
  }
  return output;
}

/** A tool of an agent that runs interceptors in its own process. */
export interface InterceptedTool {
  name: string;
  execute(toolCallId: string, args: Record<string, unknown>, ...more: never[]): Promise<AgentToolResult>;
}

/**
 * Wraps a tool so that interceptors run before and after it. They run in this process with all its rights: use only
 * your own interceptors. A blocked call resolves with the {@link BlockedResult} as text. If the tool throws,
 * `tool.after` sees the error, and the call rejects with it.
 */
export function wrapToolWithInterceptors<Tool extends InterceptedTool>(
  tool: Tool,
  registry: InterceptorRegistry,
): Tool {
  const toolName = normalizeToolName(tool.name);
  const execute = async (toolCallId: string, args: Record<string, unknown>, ...more: never[]) => {
    const before: ToolBeforeOutput = { args };
    await triggerInterceptors(registry, "tool.before", { toolName, toolCallId }, before);
    if (before.block) {
      const blocked = blockedResult(toolName, before.blockReason);
      return { content: [{ type: "text", text: JSON.stringify(blocked) }], details: blocked };
    }
    const after = (result: AgentToolResult, isError: boolean) =>
      triggerInterceptors(registry, "tool.after", { toolName, toolCallId, isError }, { result: withOutput(result) });
    let result: AgentToolResult;
    try {
      result = await tool.execute(toolCallId, before.args, ...more);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      await after({ content: [{ type: "text", text }] }, true);
      throw error;
    }
    // Only interceptors use `output`.
    const { output: _output, ...changed } = (await after(result, false)).result;
    return changed;
  };
  return { ...tool, execute };
}
