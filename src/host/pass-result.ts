import { messageOf } from "../base/errors.ts";
import type { ToolResultEvent } from "../hook-api.ts";
import type { ToolResultOutcome } from "../verdicts/tool-result.ts";
import { framed } from "./framed.ts";

/** The part of a host that shows hooks results. */
export interface ResultGates {
  hasHandlers(type: string): boolean;
  emitToolResult(event: ToolResultEvent): Promise<ToolResultOutcome>;
}

/** A result that takes the place of another. */
export interface PassedResult extends Pick<ToolResultEvent, "content" | "isError"> {
  details?: unknown;
  structuredContent?: unknown;
}

/**
 * Shows hooks a tool's result, and returns what takes its place, if something does. Never rejects: a result that they could
 * not be shown is withheld.
 */
export async function passResult(host: ResultGates, event: ToolResultEvent): Promise<PassedResult | undefined> {
  if (!host.hasHandlers("tool_result")) return undefined;
  try {
    const { content, details, isError } = event;
    const { result, changedBy } = await host.emitToolResult(event);
    if (!result) return undefined;
    const output = { content: result.content ?? content, details: "details" in result ? result.details : details };
    const changed = framed(output, changedBy);
    const { structuredContent } = result;
    return {
      ...changed,
      ...(structuredContent === undefined ? {} : { structuredContent: structuredContent ?? undefined }),
      isError: result.isError ?? isError,
    };
  } catch (error) {
    const text = `Withheld by Cordon: no hook could check this result: ${messageOf(error)}`;
    return { content: [{ type: "text", text }], details: {}, isError: true };
  }
}
