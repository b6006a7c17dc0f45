import { cleanLine } from "../base/text.ts";

export interface LogLine {
  level: "debug" | "info" | "warn" | "error";
  /** The id of the hook that wrote it; undefined for Cordon itself. */
  hook?: string;
  text: string;
  /** File, line and column of the call in the hook's source. */
  at?: string;
}

/**
 * A line of a log as it stands on standard error: whose it is, what they say, and where in their source. Further lines of
 * a text begin with spaces: none of them looks like a line of its own.
 */
export function logText({ hook, text, at }: LogLine): string {
  const who = hook ? `[hook ${cleanLine(hook, 200)}] ` : "";
  return `${who}${text.replaceAll("\n", "\n    ")}${at ? ` (${at})` : ""}`;
}
