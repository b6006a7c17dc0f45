import { type InterceptorRegistry, normalizeToolName } from "./registry.ts";
import { settled, textOf, withOutput } from "./result-text.ts";
import type {
  AgentToolResult,
  InterceptorInput,
  InterceptorName,
  InterceptorOutput,
  InterceptorRegistration,
  ToolAfterOutput,
  ToolBeforeOutput,
} from "./types.ts";

/** Why a call was blocked by an interceptor that did not say. */
export const DEFAULT_BLOCK_REASON = "Blocked by interceptor";

/** What an agent receives in place of a blocked tool's result. */
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

/** Runs the matching interceptors one after the other on one `output`, which it returns. Rejects with what one throws. */
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
    holder.result = settled(holder.result, before);
  }
  return output;
}

/** A tool of an agent in whose process the interceptors run. */
export interface InterceptedTool {
  name: string;
  execute(toolCallId: string, args: Record<string, unknown>, ...more: never[]): Promise<AgentToolResult>;
}

/**
 * The tool with interceptors around it, in this process and with all its rights: for interceptors of one's own. A call
 * that is blocked resolves with the {@link BlockedResult} as text; one whose tool threw shows `tool.after` the error, and
 * rejects with it.
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
    // The text as a whole is for interceptors alone.
    const { output: _output, ...changed } = (await after(result, false)).result;
    return changed;
  };
  return { ...tool, execute };
}
