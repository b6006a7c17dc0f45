import { readJson } from "../../../sandbox/wire/read-json.ts";
import type { ImageContent, TextContent } from "../../hook-api.ts";
import type { PassedResult } from "../../host/pass-result.ts";
import type { ShownResult } from "../tool-gates.ts";
import { isObject, type McpMessage, type Params } from "./message.ts";

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
 * what else it says, which a client may show all the same.
 */
export function shownOf(answer: Said): ShownResult {
  if (answer.kind === "error") {
    const { code, message, data, ...rest } = answer.error;
    const said = { ...rest, ...(code === undefined || Number.isSafeInteger(code) ? {} : { code }) };
    const others = [data, isEmpty(said) ? undefined : said].filter((one) => one !== undefined);
    return { content: [message ?? "", ...others].map(text), isError: true };
  }
  const { content, structuredContent, isError, ...rest } = answer.result;
  const divided = partsOf(content).map(dividedPart);
  const beside = divided.map((part) => part.beside).filter((one) => !isEmpty(one));
  const said = {
    ...rest,
    ...(isError === undefined || typeof isError === "boolean" ? {} : { isError }),
    ...(beside.length > 0 ? { content: beside } : {}),
  };
  const others = [structuredContent, isEmpty(said) ? undefined : said].filter((one) => one !== undefined);
  return { content: [...divided.map((part) => part.shown), ...others.map(text)], isError: isError === true };
}

const partsOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : content === undefined ? [] : [content];

const isEmpty = (said: Params): boolean =>
  Object.values(said).every((value) => value === undefined || (isObject(value) && Object.keys(value).length === 0));

/** Whom a part is for, how much it matters, and when it changed: no words of a server's. */
const isAnnotation = ([name, value]: [string, unknown]): boolean =>
  (name === "audience" && Array.isArray(value) && value.every((one) => one === "user" || one === "assistant")) ||
  (name === "priority" && typeof value === "number") ||
  (name === "lastModified" && typeof value === "string" && /^[\dTZ:.+-]{1,40}$/.test(value));

/** A text or an image as it is, and what else stands in it; anything else, such as a resource, as JSON. */
function dividedPart(part: unknown): { shown: Content; own: unknown; beside: Params } {
  const { _meta, annotations, ...own } = Object(part) as Params;
  const { type, text: words, data, mimeType, ...rest } = own;
  const isText = type === "text" && typeof words === "string" && data === undefined;
  const isImage = type === "image" && typeof data === "string" && typeof mimeType === "string" && words === undefined;
  if (Object.keys(rest).length > 0 || !(isText || isImage)) return { shown: text(part), own: part, beside: {} };
  const shown = isText ? text(words) : ({ type, data, mimeType } as Content);
  const isPlain = isObject(annotations) && Object.entries(annotations).every(isAnnotation);
  if (isPlain) return { shown, own: { ...own, annotations }, beside: { _meta } };
  return { shown, own, beside: { _meta, annotations } };
}

/**
 * The result that takes the place of an answer. Parts that hooks left as they were are the server's own; structured content
 * stays if what they made of it is still JSON.
 */
export function changedResult(answer: Said, { content, isError }: PassedResult): Params {
  const failed = isError ? { isError: true } : {};
  if (answer.kind === "error") return { content, ...failed };
  const own = partsOf(answer.result.content).map(dividedPart);
  // `framed` says in one more part at the front who changed it.
  const frame = content.slice(0, 1);
  const passed = content.slice(1);
  // What the protocol does not know is left out.
  const isWhole = passed.length === shownOf(answer).content.length;
  if (!isWhole) return { content, ...failed };
  const parts = own.map((part, at) =>
    JSON.stringify(part.shown) === JSON.stringify(passed[at]) ? part.own : passed[at],
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
