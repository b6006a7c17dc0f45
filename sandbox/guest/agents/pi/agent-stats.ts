/** What can be said of a conversation as a whole. */
import type { Message } from "./agent-mirror.ts";

/** The text of the last answer, if there is one. */
export function lastText(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(
    ({ role, content, stopReason }) =>
      role === "assistant" && !(stopReason === "aborted" && (content as unknown[]).length === 0),
  );
  const parts = (last?.content ?? []) as { type: string; text?: string }[];
  const text = parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  return text.trim() || undefined;
}

/** Numbers of messages, calls, tokens and their cost, as pi has them. */
export function statsOf(messages: readonly Message[]): object {
  const of = (role: string): Message[] => messages.filter((message) => message.role === role);
  const answers = of("assistant");
  const sum = (name: string): number => answers.reduce((all, { usage }) => all + Number(usage?.[name] ?? 0), 0);
  const [input, output, cacheRead, cacheWrite] = ["input", "output", "cacheRead", "cacheWrite"].map(sum) as [
    number,
    number,
    number,
    number,
  ];
  const parts = answers.flatMap(({ content }) => content as { type: string }[]);
  return {
    userMessages: of("user").length,
    assistantMessages: answers.length,
    toolCalls: parts.filter(({ type }) => type === "toolCall").length,
    toolResults: of("toolResult").length,
    totalMessages: messages.length,
    tokens: { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite },
    cost: answers.reduce((all, { usage }) => all + costOf(usage), 0),
  };
}

const costOf = (usage: Message["usage"]): number => (usage?.cost as { total?: number } | undefined)?.total ?? 0;
