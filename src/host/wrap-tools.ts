import { HookBlockedError, messageOf } from "../base/errors.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { ImageContent, TextContent } from "../hook-api.ts";
import { codeOfBlock } from "../verdicts/blocked.ts";
import { plainCopy } from "../verdicts/plain-copy.ts";
import type { HookHost } from "./host.ts";

/** Longest text of a result that a hook changed: in practice, no tool's own result is longer. */
const MAX_RESULT_TEXT = 2_000_000;

/** A tool of pi's agent core. It signals an error by throwing. */
export interface AgentTool {
  name: string;
  execute(
    toolCallId: string,
    params: never,
    signal?: AbortSignal,
    onUpdate?: (partial: never) => void,
  ): Promise<ToolOutput>;
}

interface ToolOutput {
  content: (TextContent | ImageContent)[];
  details?: unknown;
}

/**
 * Wraps `execute` of each tool with the host's hooks. What the hooks judged is what runs: one plain copy of the input, by the
 * tool that was called, or by another of `tools` if a hook with that right chose it. A blocked call throws a
 * {@link HookBlockedError} with the message `Blocked by hook <id>: <reason>`.
 */
export function wrapToolsWithHooks<Tool extends AgentTool>(tools: readonly Tool[], host: HookHost): Tool[] {
  return tools.map((tool) => ({ ...tool, execute: wrapped(tool, tools, host) }));
}

function wrapped(called: AgentTool, tools: readonly AgentTool[], host: HookHost): AgentTool["execute"] {
  return async (toolCallId, params, signal, onUpdate) => {
    let input: unknown = params;
    let tool = called;
    if (host.hasHandlers("tool_call")) {
      const copy = judgeable(params);
      const verdict = await host.emitToolCall(
        { type: "tool_call", toolName: tool.name, toolCallId, input: copy },
        { ...(signal ? { signal } : {}), canRun: (name) => tools.some((one) => one.name === name) },
      );
      if (verdict && "block" in verdict)
        throw new HookBlockedError(cleanLine(verdict.hook, 200), verdict.reason, codeOfBlock(verdict));
      input = verdict ? verdict.input : copy;
      if (verdict?.toolName !== undefined) tool = tools.find((one) => one.name === verdict.toolName) as AgentTool;
    }
    if (!host.hasHandlers("tool_result")) return tool.execute(toolCallId, input as never, signal, onUpdate);
    const shown = input as Record<string, unknown>;
    const started = performance.now();
    const event = { type: "tool_result", toolName: tool.name, toolCallId, input: shown } as const;
    let output: ToolOutput;
    try {
      output = await tool.execute(toolCallId, input as never, signal, onUpdate);
    } catch (error) {
      const content: TextContent[] = [{ type: "text", text: messageOf(error) }];
      const { result, changedBy } = await host.emitToolResult({
        ...event,
        content,
        isError: true,
        error: messageOf(error),
        durationMs: performance.now() - started,
      });
      if (!result) throw error;
      const changed = framed({ content: result.content ?? content, details: result.details }, changedBy);
      if (result.isError === false) return changed;
      throw new Error(textOf(changed), { cause: error });
    }
    const { result, changedBy } = await host.emitToolResult({
      ...event,
      content: output.content,
      details: output.details,
      isError: false,
      durationMs: performance.now() - started,
    });
    if (!result) return output;
    const changed = framed(
      { ...output, content: result.content ?? output.content, details: result.details ?? output.details },
      changedBy,
    );
    if (result.isError) throw new Error(textOf(changed));
    return changed;
  };
}

/** The input that hooks and tool will see. Throws an error that blocks the call. */
export function judgeable(params: unknown): Record<string, unknown> {
  try {
    return plainCopy(params) as Record<string, unknown>;
  } catch (error) {
    throw new HookBlockedError("", `the tool's ${messageOf(error)}, which hooks could not judge as it is`);
  }
}

/** Tells the model which hooks changed the result. */
export function framed(output: ToolOutput, changedBy: readonly string[]): ToolOutput {
  if (changedBy.length === 0) return output;
  return {
    ...output,
    content: [
      { type: "text", text: `[Changed by hook ${cleanLine(changedBy.join(", "), 1000)}]` },
      ...output.content.map((item) =>
        item.type === "text" ? { ...item, text: cleanText(item.text, MAX_RESULT_TEXT) } : item,
      ),
    ],
  };
}

const textOf = (output: ToolOutput): string =>
  output.content.map((item) => (item.type === "text" ? item.text : "[image]")).join("\n");
