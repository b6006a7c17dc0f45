import {
  AfterInvocationEvent,
  AfterToolCallEvent,
  BeforeInvocationEvent,
  BeforeToolCallEvent,
  ImageBlock,
  type JSONValue,
  type Plugin,
  TextBlock,
  ToolResultBlock,
} from "@strands-agents/sdk";
import type { HookHost } from "../../src/index.ts";

type Content = Parameters<HookHost["emitToolResult"]>[0]["content"];

/** The plugin that connects an agent of the SDK to a host, as an embedder of Cordon would write it. */
export function adapter(host: HookHost): Plugin {
  const blocked = new Set<string>();
  return {
    name: "cordon",
    initAgent(agent) {
      agent.addHook(BeforeInvocationEvent, async () => {
        await host.emit({ type: "agent_start" });
      });
      agent.addHook(AfterInvocationEvent, async () => {
        await host.emit({ type: "agent_end", messages: [] });
      });
      agent.addHook(BeforeToolCallEvent, async (event) => {
        const { name, toolUseId, input } = event.toolUse;
        const outcome = await host.emitToolCall(
          {
            type: "tool_call",
            toolName: name,
            toolCallId: toolUseId,
            input: input as Record<string, unknown>,
            invocationState: event.invocationState,
          },
          { canRun: () => true },
        );
        if (!outcome) return;
        if ("block" in outcome) {
          blocked.add(toolUseId);
          event.cancel = outcome.reason;
          return;
        }
        event.toolUse.input = outcome.input as JSONValue;
        if (outcome.toolName === undefined) return;
        const chosen = agent.toolRegistry.get(outcome.toolName);
        if (chosen) event.selectedTool = chosen;
        // Without this the called tool would run.
        else event.toolUse.name = outcome.toolName;
      });
      agent.addHook(AfterToolCallEvent, async (event) => {
        const { name, toolUseId, input } = event.toolUse;
        if (blocked.delete(toolUseId)) return;
        const { result } = await host.emitToolResult({
          type: "tool_result",
          toolName: event.tool?.name ?? name,
          toolCallId: toolUseId,
          input: input as Record<string, unknown>,
          content: toContent(event.result),
          isError: event.result.status === "error",
          ...(event.error ? { error: event.error.message } : {}),
          invocationState: event.invocationState,
        } as Parameters<HookHost["emitToolResult"]>[0]);
        if (!result) return;
        const status = (result.isError ?? event.result.status === "error") ? "error" : "success";
        const content = result.content ? toBlocks(result.content) : event.result.content;
        event.result = new ToolResultBlock({ toolUseId, status, content });
      });
    },
  };
}

const toContent = ({ content }: ToolResultBlock): Content =>
  content.map((block) => {
    if (block instanceof TextBlock) return { type: "text", text: block.text };
    if (block instanceof ImageBlock && block.source.type === "imageSourceBytes")
      return {
        type: "image",
        data: Buffer.from(block.source.bytes).toString("base64"),
        mimeType: `image/${block.format}`,
      };
    return { type: "text", text: JSON.stringify("json" in block ? block.json : block) };
  });

const toBlocks = (content: Content) =>
  content.map((item) =>
    item.type === "text"
      ? new TextBlock(item.text)
      : new ImageBlock({
          format: item.mimeType.replace("image/", "") as "png",
          source: { bytes: Buffer.from(item.data, "base64") },
        }),
  );
