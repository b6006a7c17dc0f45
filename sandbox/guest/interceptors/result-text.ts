import type { AgentToolResult } from "./types.ts";

type Content = AgentToolResult["content"];

/** A list of another realm has methods of that realm's. */
const listed = (content: Content): Content => Array.from({ length: content.length }, (_, at) => content[at]) as Content;

/** All text of a result; `undefined` if it has none. */
export function textOf(content: AgentToolResult["content"]): string | undefined {
  const texts = listed(content).flatMap((item) => (item.type === "text" ? [item.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** The result as interceptors are shown it. */
export function withOutput<Result extends AgentToolResult>({ output: _output, ...result }: Result): AgentToolResult {
  const output = textOf(result.content);
  return { ...result, ...(output === undefined ? {} : { output }) };
}

/**
 * A handler may change a result's `content`, or its text as a whole in `output`: what it left in one is put into the other.
 * Throws where it changed both, and they say two things: one of them may be what a secret was taken out of.
 *
 * @param before all text as the handler was shown it
 */
export function settled(result: AgentToolResult, before: string | undefined): AgentToolResult {
  const { content, output } = result;
  const now = textOf(content);
  if (typeof output !== "string" || output === before || output === now) return withOutput(result);
  if (now !== before) throw new TypeError("output.result has other texts in its content and in its output");
  return withOutput({ ...result, content: withText(content, output) });
}

/** The content with another text in it: what is not text stays, and the new text stands where the first one did. */
function withText(content: AgentToolResult["content"], text: string): AgentToolResult["content"] {
  const items = listed(content);
  const first = items.findIndex((item) => item.type === "text");
  if (first < 0) return [...items, { type: "text", text }];
  const kept = items.filter((item, at) => item.type !== "text" || at === first);
  return kept.map((item) => (item.type === "text" ? { ...item, text } : item));
}
