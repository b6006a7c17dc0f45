import { readJson } from "../../../sandbox/wire/read-json.ts";
import type { ImageContent, TextContent } from "../../hook-api.ts";
import type { PassedResult } from "../../host/pass-result.ts";
import type { ShownResult } from "../tool-gates.ts";
import type { McpMessage, Params } from "./message.ts";

type Content = TextContent | ImageContent;
export type Answer = Extract<McpMessage, { kind: "result" | "error" }>;
/** What an answer says, whatever it answers. */
export type Said = { kind: "result"; result: Params } | { kind: "error"; error: Params };

export const text = (value: unknown): TextContent => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
});

/**
 * What an agent would read of the answer to a call: its parts, its structured content as one more, as JSON, and in the same way
 * what the protocol does not know, which a client may show all the same.
 */
export function shownOf(answer: Said): ShownResult {
  if (answer.kind === "error") {
    const { message, data } = answer.error;
    return { content: [text(message ?? ""), ...(data === undefined ? [] : [text(data)])], isError: true };
  }
  const { content, structuredContent, isError, _meta, ...rest } = answer.result;
  const parts = partsOf(content).map(shownPart);
  const others = [structuredContent, Object.keys(rest).length > 0 ? rest : undefined].filter(
    (one) => one !== undefined,
  );
  return { content: [...parts, ...others.map(text)], isError: isError === true };
}

const partsOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : content === undefined ? [] : [content];

/** A text or an image as it is; anything else, such as a resource, as JSON. */
function shownPart(part: unknown): Content {
  const { type, text: words, data, mimeType, annotations, _meta, ...rest } = Object(part) as Params;
  if (Object.keys(rest).length > 0) return text(part);
  if (type === "text" && typeof words === "string" && data === undefined) return text(words);
  if (type === "image" && typeof data === "string" && typeof mimeType === "string" && words === undefined)
    return { type, data, mimeType };
  return text(part);
}

/**
 * The result that takes the place of an answer. Parts that hooks left as they were are the server's own; structured content
 * stays if what they made of it is still JSON.
 */
export function changedResult(answer: Said, { content, isError }: PassedResult): Params {
  const failed = isError ? { isError: true } : {};
  if (answer.kind === "error") return { content, ...failed };
  const own = partsOf(answer.result.content);
  // `framed` says in one more part at the front who changed it.
  const frame = content.slice(0, 1);
  const passed = content.slice(1);
  // What the protocol does not know is left out.
  const isWhole = passed.length === shownOf(answer).content.length;
  if (!isWhole) return { content, ...failed };
  const parts = own.map((part, at) =>
    JSON.stringify(shownPart(part)) === JSON.stringify(passed[at]) ? part : passed[at],
  );
  return {
    content: [...frame, ...parts],
    ...(answer.result.structuredContent === undefined ? {} : structuredIn(passed[own.length])),
    ...failed,
  };
}

function structuredIn(part: Content | undefined): { structuredContent?: object } {
  if (part?.type !== "text") return {};
  try {
    const structuredContent: unknown = readJson(part.text);
    return typeof structuredContent === "object" && structuredContent !== null ? { structuredContent } : {};
  } catch {
    return {};
  }
}
