import { readJson } from "../../sandbox/wire/read-json.ts";
import { attemptOr } from "../base/attempt.ts";
import { CordonError, HookBlockedError, messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import type { TextContent } from "../hook-api.ts";
import { codeOfBlock } from "../verdicts/blocked.ts";
import { framed, judgeable, type ToolOutput } from "./framed.ts";
import type { HookHost } from "./host.ts";
import { readThrown } from "./thrown.ts";

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

/**
 * Wraps `execute` of each tool with the host's hooks. What the hooks judged is what runs: one plain copy of the input, by the
 * tool that was called, or by another of `tools` if a hook with that right chose it. A blocked call throws a
 * {@link HookBlockedError} with the message `Blocked by hook <id>: <reason>`.
 *
 * @throws `BAD_GRANT` for what is no array, for a tool without a name or without `execute`, and for what is no host: hooks could not
 * judge its calls
 */
export function wrapToolsWithHooks<Tool extends AgentTool>(tools: readonly Tool[], host: HookHost): Tool[] {
  if (!Array.isArray(tools)) throw new CordonError("BAD_GRANT", "wrapToolsWithHooks: the tools must be an array");
  for (const [at, tool] of tools.entries()) {
    const { name, execute } = Object(tool) as Partial<AgentTool>;
    if (typeof name !== "string" || name === "") throw new CordonError("BAD_GRANT", `tool ${at} has no name`);
    if (typeof execute !== "function")
      throw new CordonError("BAD_GRANT", `tool ${cleanLine(name, 200)} has no execute`);
  }
  if (typeof Object(host).emitToolCall !== "function")
    throw new CordonError(
      "BAD_GRANT",
      "wrapToolsWithHooks: the host must be a HookHost, as in: await HookHost.start(options)",
    );
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
    const started = performance.now();
    const event = {
      type: "tool_result",
      toolName: tool.name,
      toolCallId,
      input: input as Record<string, unknown>,
    } as const;
    let output: ToolOutput;
    try {
      output = await tool.execute(toolCallId, input as never, signal, onUpdate);
    } catch (error) {
      // Not before it ran: a hook may have been enabled since, or have set itself up.
      if (!host.hasHandlers("tool_result")) throw error;
      const thrown = readThrown(error);
      const content: TextContent[] = [{ type: "text", text: thrown.text }];
      const { result, changedBy } = await host.emitToolResult({
        ...event,
        content,
        isError: true,
        error: thrown.text,
        durationMs: performance.now() - started,
      });
      if (!result) throw thrown.error;
      const changed = framed({ content: result.content ?? content, details: result.details }, changedBy);
      if (result.isError === false) return changed;
      // Without the tool's own error as its cause, which says what hooks took out.
      throw new Error(textOf(changed));
    }
    if (!host.hasHandlers("tool_result")) return output;
    const { judged, outcome } = await shown(tool, output, (given) =>
      host.emitToolResult({ ...event, ...given, isError: false, durationMs: performance.now() - started }),
    );
    output = judged;
    const { result, changedBy } = outcome;
    if (!result) return output;
    const { structuredContent = output.structuredContent } = result;
    const changed = framed(
      {
        ...output,
        content: result.content ?? output.content,
        details: "details" in result ? result.details : output.details,
        structuredContent: structuredContent ?? undefined,
      },
      changedBy,
    );
    if (changed.structuredContent === undefined) delete changed.structuredContent;
    if (result.isError) throw new Error(textOf(changed));
    return changed;
  };
}

/**
 * Shows hooks what a tool gave. `judged`: that as it was then; the tool may still have it, and could change it. Rejects with an error
 * that names the tool if they cannot be shown it, as with a BigInt.
 */
async function shown<Outcome>(
  { name }: AgentTool,
  output: ToolOutput,
  show: (given: ToolOutput) => Promise<Outcome>,
): Promise<{ judged: ToolOutput; outcome: Outcome }> {
  try {
    const { content, details, structuredContent, usage } = output;
    const seen = asSeen({ content, ...(structuredContent === undefined ? {} : { structuredContent }) });
    const given = { ...seen, details: cloned(details), ...(usage === undefined ? {} : { usage }) };
    const judged = { ...output, ...given };
    if (details === undefined && !("details" in output)) delete judged.details;
    return { judged, outcome: await show(given) };
  } catch (error) {
    const what = typeof output === "object" && output !== null ? messageOf(error) : "it is no object with a content";
    throw new Error(`Withheld by Cordon: no hook could check the result of ${cleanLine(name, 200)}: ${what}`);
  }
}

/** As JSON, which is what hooks see. */
const asSeen = <Value>(value: Value): Value => readJson(JSON.stringify(value));

/** What the agent alone gets. What cannot be copied otherwise, as a function in it, is as hooks see it. */
const cloned = (details: unknown): unknown =>
  attemptOr(() => structuredClone(details), undefined) ?? (details === undefined ? undefined : asSeen(details));

const textOf = (output: ToolOutput): string =>
  output.content.map((item) => (item.type === "text" ? item.text : `[${item.type}]`)).join("\n");
