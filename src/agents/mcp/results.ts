import type { ImageContent, TextContent } from "../../hook-api.ts";
import type { PassedResult } from "../../host/pass-result.ts";
import type { ShownResult } from "../tool-gates.ts";
import type { McpMessage, Params } from "./message.ts";

type Content = TextContent | ImageContent;
export type Answer = Extract<McpMessage, { kind: "result" | "error" }>;

const text = (value: unknown): TextContent => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
});

/** What an agent would read of the answer to a call: its parts, and its structured content as one more, as JSON. */
export function shownOf(answer: Answer): ShownResult {
  if (answer.kind === "error") {
    const { message, data } = answer.error;
    return { content: [text(message ?? ""), ...(data === undefined ? [] : [text(data)])], isError: true };
  }
  const { content, structuredContent, isError } = answer.result;
  const parts = partsOf(content).map(shownPart);
  const structured = structuredContent === undefined ? [] : [text(structuredContent)];
  return { content: [...parts, ...structured], isError: isError === true };
}

const partsOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : content === undefined ? [] : [content];

/** A text or an image as it is; anything else, such as a resource, as JSON. */
function shownPart(part: unknown): Content {
  const { type, text: words, data, mimeType } = Object(part) as Params;
  if (type === "text" && typeof words === "string") return text(words);
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
  return text(part);
}

/**
 * The result that takes the place of an answer. Parts that hooks left as they were are the server's own; structured content
 * stays if what they made of it is still JSON.
 */
export function changedResult(answer: Answer, { content, isError }: PassedResult): Params {
  const failed = isError ? { isError: true } : {};
  if (answer.kind === "error") return { content, ...failed };
  const own = partsOf(answer.result.content);
  // `framed` says in one more part at the front who changed it.
  const frame = content.slice(0, 1);
  const passed = content.slice(1);
  const isWhole = passed.length === own.length + (answer.result.structuredContent === undefined ? 0 : 1);
  if (!isWhole) return { content, ...failed };
  const parts = own.map((part, at) =>
    JSON.stringify(shownPart(part)) === JSON.stringify(passed[at]) ? part : passed[at],
  );
  return { content: [...frame, ...parts], ...structuredIn(passed.slice(own.length)), ...failed };
}

function structuredIn([part]: readonly Content[]): { structuredContent?: object } {
  if (part?.type !== "text") return {};
  try {
    const structuredContent: unknown = JSON.parse(part.text);
    return typeof structuredContent === "object" && structuredContent !== null ? { structuredContent } : {};
  } catch {
    return {};
  }
}
