import { withoutEscapeSequences } from "./escape-sequences.ts";

/**
 * What nobody sees and what moves other text: controls but newline and tab, characters that reorder, fillers, variation
 * selectors, tags, and those that fonts leave blank. Joiners are looked at apart.
 */
const UNSEEN =
  /[[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13430}-\u{13455}\u{16fe4}\u{1d159}]--[\n\t\u200c\u200d]]/gv;

const PICTURE = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]";
/** Letters whose shape depends on joiners. */
const SHAPED = `[${["Arabic", "Syriac", "Nko", "Mongolian", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar"].map((script) => `\\p{Script=${script}}`).join("")}]`;

/** Joiners that join nothing. They mean something within one picture, and between letters of some scripts. */
const IDLE_JOINER = new RegExp(
  `[\\u200c\\u200d](?!(?<=${PICTURE}\\u200d)${PICTURE}|(?<=${SHAPED}[\\u200c\\u200d])${SHAPED})`,
  "gv",
);

/** Marks on one letter, of which no language has more: a heap of them covers the lines around it. */
const HEAP = /(\p{M}{8})\p{M}+/gv;

const JSON_UNSEEN = new RegExp(`${UNSEEN.source}|[\\u200c\\u200d]`, "gv");

/** How much is looked at to show this much: what is not seen may fill a text without end. */
const lookedAt = (maxLength: number): number => 8 * maxLength + 1000;

/** A hook's text made fit for a terminal or a model: nothing that hides, moves or reorders, visibly cut when too long. */
export function cleanText(text: string, maxLength: number): string {
  const most = lookedAt(maxLength);
  const isLonger = text.length > most;
  const clean = withoutUnseen(isLonger ? cut(text, most) : text);
  return isLonger || clean.length > maxLength ? `${cut(clean, maxLength - 1)}…` : clean;
}

/** A text without what nobody sees in it. */
const withoutUnseen = (text: string): string =>
  withoutEscapeSequences(text).replace(UNSEEN, "").replace(IDLE_JOINER, "").replace(HEAP, "$1");

/** No half of a character is left at the end. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

/** The same on one line. */
export const cleanLine = (text: string, maxLength: number): string =>
  cleanText(text, maxLength).replace(/\s+/g, " ").trim();

/** JSON that means the same, with what {@link cleanText} may take out written as escapes. */
export const escapeUnseen = (json: string): string =>
  json.replace(JSON_UNSEEN, (one) =>
    Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
