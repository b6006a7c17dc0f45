/** `node:path` for files that call `matchesGlob`, which brings a library. */
import picomatch from "picomatch/posix.js";
import path from "unenv/node/path";
import { wrongType } from "./fault.ts";

export * from "unenv/node/path";

const whole: Record<string, unknown> = { ...path, matchesGlob };
whole.posix = whole;
whole.win32 = whole;

/** Whether a path fits a pattern. Braces, brackets and `**` count; neither a `!` nor a `#` at the beginning does. */
export function matchesGlob(file: unknown, pattern: unknown): boolean {
  if (typeof file !== "string") throw wrongType("path", "of type string");
  if (typeof pattern !== "string") throw wrongType("pattern", "of type string");
  if (pattern === "") return file === "";
  return picomatch(pattern, { nonegate: true, strictSlashes: true })(file);
}

export { whole as posix, whole as win32 };
export default whole;
