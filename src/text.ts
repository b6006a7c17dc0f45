import { stripVTControlCharacters } from "node:util";

/** C0 and C1 controls but newline and tab, and the characters that reorder or hide text. */
const UNSAFE =
  /[[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u200b\u2060-\u2064\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]--[\n\t]]/gv;

/** A hook's text made fit for a terminal or a model: no escape sequences, controls or reordering, visibly cut when too long. */
export function cleanText(text: string, maxLength: number): string {
  const clean = stripVTControlCharacters(text.slice(0, maxLength * 4)).replace(UNSAFE, "");
  return clean.length > maxLength || text.length > maxLength * 4 ? `${cut(clean, maxLength - 1)}…` : clean;
}

/** No half of a character is left at the end. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

/** The same on one line. */
export const cleanLine = (text: string, maxLength: number): string =>
  cleanText(text, maxLength).replace(/\s+/g, " ").trim();

/** JSON that means the same, with what {@link cleanText} takes out written as escapes. */
export const escapeUnsafe = (json: string): string =>
  json.replace(UNSAFE, (one) =>
    Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
