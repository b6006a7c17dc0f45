import type { TextContent } from "../../hook-api.ts";
import type { ToolReply } from "./langchain-api.ts";

type Block = { type?: unknown; text?: unknown };

/** What the model would read of a tool's reply, or of several, for hooks. Throws for what is no JSON. */
export function shownContent(reply: ToolReply | readonly ToolReply[]): TextContent[] {
  if (Array.isArray(reply)) return reply.flatMap(shownContent);
  const { content, update, goto, resume } = reply as ToolReply;
  // What is handed to another node has the whole conversation in it, where the tool can put anything.
  const sent = [goto].flat().filter((one) => typeof one === "object" && one !== null);
  const given = [update, ...sent.map((one) => (one as { args?: unknown }).args), resume].filter(
    (one) => one !== undefined,
  );
  const shown = [...(content === undefined ? [] : contentOf(content)), ...given.flatMap(shownState)];
  return shown.length > 0 ? shown : [text("")];
}

/** The messages that are put into the agent's state, and what else is. */
function shownState(state: unknown): TextContent[] {
  const messages = messagesIn(state);
  if (messages.length === 0) return [text(state)];
  const others = Array.isArray(state)
    ? state.filter((one) => !Array.isArray(one) || one[0] !== "messages")
    : Object.entries(Object(state)).filter(([name, value]) => name !== "messages" && value !== undefined);
  return [
    ...messages.flatMap(shownMessage),
    ...(others.length > 0 ? [text(Array.isArray(state) ? others : Object.fromEntries(others))] : []),
  ];
}

/** A message that is more than its content, such as one with calls, is shown whole. */
function shownMessage(message: unknown): TextContent[] {
  if (typeof message !== "object" || message === null || !("content" in message)) return [text(message)];
  const isMore = Object.entries(message).some(([name, value]) => !BARE.test(name) && !isEmpty(value));
  return isMore ? [text(message)] : contentOf(message.content);
}

/** Members of a message that say nothing of their own, or stand for its content. */
const BARE =
  /^(lc_\w+|content|type|role|name|id|tool_call_id|status|artifact|metadata|response_metadata|usage_metadata)$/;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);

const contentOf = (content: unknown): TextContent[] =>
  (Array.isArray(content) ? content : [content]).map((block: string | Block) =>
    isText(block) ? text(block.text) : text(block),
  );

/** It has a text, and nothing else that is read. */
const isText = (block: unknown): block is Block =>
  typeof block === "object" &&
  (block as Block | null)?.type === "text" &&
  Object.entries(block as Block).every(([name, value]) => /^(type|text|index|id)$/.test(name) || isEmpty(value));

const text = (value: unknown): TextContent => ({
  type: "text",
  text: typeof value === "string" ? value : String(JSON.stringify(value)),
});

/** Messages that a command puts into the agent's state, in whichever form. */
function messagesIn(update: unknown): unknown[] {
  const entries: (readonly unknown[])[] = Array.isArray(update)
    ? update.filter(Array.isArray)
    : Object.entries(Object(update));
  return entries.flatMap(([name, value]) => (name === "messages" && value !== undefined ? [value].flat() : []));
}
