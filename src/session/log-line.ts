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
 * A log line for standard error: the hook, its text, and the position in its source. Further lines of the text are
 * indented, so that none of them looks like a line of its own.
 */
export function logText({ hook, text, at }: LogLine): string {
  const who = hook ? `[hook ${cleanLine(hook, 200)}] ` : "";
  return `${who}${text.replaceAll("\n", "\n    ")}${at ? ` (${at})` : ""}`;
}
