import type { TextContent } from "../../hook-api.ts";
import type { ToolReply } from "./langchain-api.ts";

type Block = { type?: unknown; text?: unknown };

/** What the model would read of a tool's reply, for hooks. Throws for what is no JSON. */
export function shownContent({ content, update }: ToolReply): TextContent[] {
  if (content !== undefined) return contentOf(content);
  const messages = messagesIn(update);
  return messages.length > 0 ? messages.flatMap((message) => contentOf(message.content)) : [text(update)];
}

const contentOf = (content: unknown): TextContent[] =>
  (Array.isArray(content) ? content : [content]).map((block: string | Block) =>
    typeof block === "object" && block.type === "text" ? text(block.text) : text(block),
  );

const text = (value: unknown): TextContent => ({
  type: "text",
  text: typeof value === "string" ? value : String(JSON.stringify(value)),
});

/** Messages that a command puts into the agent's state. */
function messagesIn(update: unknown): ToolReply[] {
  const { messages } = (Array.isArray(update) ? Object.fromEntries(update) : Object(update)) as { messages?: unknown };
  const list = Array.isArray(messages) ? messages : [messages];
  return list.filter((one): one is ToolReply => typeof one === "object" && one !== null && "content" in one);
}
