import type { AgentToolResult } from "./types.ts";

type Content = AgentToolResult["content"];

/** Copies a list: a list of another realm has the methods of that realm. */
const listed = (content: Content): Content => Array.from({ length: content.length }, (_, at) => content[at]) as Content;

/** All text of a result, or `undefined` if it has none. */
export function textOf(content: AgentToolResult["content"]): string | undefined {
  const texts = listed(content).flatMap((item) => (item.type === "text" ? [item.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** The result as interceptors see it. */
export function withOutput<Result extends AgentToolResult>({ output: _output, ...result }: Result): AgentToolResult {
  const output = textOf(result.content);
  return { ...result, ...(output === undefined ? {} : { output }) };
}

/**
 * A handler may change a result's `content`, or all of its text in `output`. This copies the change to the other one.
 * Throws if the handler changed both, and their texts differ: it may have removed a secret from only one of them.
 *
 * @param before all text before the handler ran
 */
export function reconciled(result: AgentToolResult, before: string | undefined): AgentToolResult {
  const { content, output } = result;
  const now = textOf(content);
  if (typeof output !== "string" || output === before || output === now) return withOutput(result);
  if (now !== before) throw new TypeError("output.result has different texts in its content and in its output");
  return withOutput({ ...result, content: withText(content, output) });
}

/** Replaces the text of the content. The new text is at the position of the first one; images stay. */
function withText(content: AgentToolResult["content"], text: string): AgentToolResult["content"] {
  const items = listed(content);
  const first = items.findIndex((item) => item.type === "text");
  if (first < 0) return [...items, { type: "text", text }];
  const kept = items.filter((item, at) => item.type !== "text" || at === first);
  return kept.map((item) => (item.type === "text" ? { ...item, text } : item));
}
