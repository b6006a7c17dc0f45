import { createRequire } from "node:module";
import { builtForHost } from "./package-root.ts";

const require = createRequire(import.meta.url);
/** Every character is one column wide. */
const PLAIN = /^[\x20-\x7e]*$/;

let measure: typeof import("string-width").default | undefined;

/** Columns that a text takes on a terminal. The tables of Unicode take 20 ms to load, and most texts need none. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  measure ??= (require(builtForHost("base", "string-width.cjs")) as typeof import("string-width")).default;
  return measure(text);
}
