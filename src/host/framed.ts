import { HookBlockedError, messageOf } from "../base/errors.ts";
import { cleanLine, cleanText } from "../base/text.ts";
import type { ImageContent, TextContent } from "../hook-api.ts";
import { plainCopy } from "../verdicts/plain-copy.ts";

/** Longest text of a result that a hook changed: in practice, no tool's own result is longer. */
const MAX_RESULT_TEXT = 2_000_000;

export interface ToolOutput {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  structuredContent?: unknown;
  usage?: unknown;
}

/** The input that hooks and tool will see. Throws an error that blocks the call. */
export function judgeable(params: unknown): Record<string, unknown> {
  try {
    return plainCopy(params) as Record<string, unknown>;
  } catch (error) {
    throw new HookBlockedError("", `the tool's ${messageOf(error)}, which hooks could not judge as it is`);
  }
}

/** Tells the model which hooks changed the result. */
export function framed(output: ToolOutput, changedBy: readonly string[]): ToolOutput {
  if (changedBy.length === 0) return output;
  return {
    ...output,
    content: [
      { type: "text", text: `[Changed by hook ${cleanLine(changedBy.join(", "), 1000)}]` },
      ...output.content.map((item) =>
        item.type === "text" ? { ...item, text: cleanText(item.text, MAX_RESULT_TEXT) } : item,
      ),
    ],
  };
}
