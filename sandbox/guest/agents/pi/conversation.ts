import { serializeConversation as serialize } from "@earendil-works/pi-coding-agent/dist/core/compaction/utils.js";

interface Message {
  role: string;
  content: unknown;
}

/** A conversation as a text for a summary. As in pi 1.5, what a model thought is left out. */
export const serializeConversation = (messages: readonly Message[]): string =>
  serialize(messages.map((message) => ({ ...message, content: withoutThinking(message) })));

const withoutThinking = ({ role, content }: Message): unknown =>
  role === "assistant" && Array.isArray(content) ? content.filter(({ type }) => type !== "thinking") : content;
