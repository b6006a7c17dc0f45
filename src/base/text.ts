import { escaped } from "../../sandbox/wire/escaped.ts";
import { withoutEscapeSequences } from "./escape-sequences.ts";
import { once } from "./once.ts";

const JOINER = /[\u200c\u200d]/g;

/** What is looked for in texts that are not plain. V8 reads an expression with Unicode's properties in up to a millisecond. */
const hidden = once(() => {
  /**
   * Invisible characters, and those that move other text: controls except newline and tab, bidirectional controls, fillers,
   * variation selectors, tags, and characters that fonts leave blank. Joiners are handled separately.
   */
  const unseen =
    /[[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13430}-\u{13455}\u{16fe4}\u{1d159}]--[\n\t\u200c\u200d]]+/gv;

  const picture = "[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]";
  /** Letters whose shape depends on joiners. */
  const shaped = `[${["Arabic", "Syriac", "Nko", "Mongolian", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar"].map((script) => `\\p{Script=${script}}`).join("")}]`;
  /** Joiners without an effect. They have one within an emoji, and between letters of some scripts. */
  const idleJoiner = new RegExp(
    `[\\u200c\\u200d](?!(?<=${picture}\\u200d)${picture}|(?<=${shaped}[\\u200c\\u200d])${shaped})`,
    "gv",
  );

  /** More marks on one letter than any language uses: they would cover the lines around it. */
  const heap = /(?<=\p{M}{8})\p{M}+/gv;
  /** The same with the marks before it. To look from the first mark alone takes a sixth of the time. */
  const heaped = /((?<!\p{M})\p{M}{8})\p{M}+/gv;

  const inJson = new RegExp(`${unseen.source}|${JOINER.source}|${heap.source}`, "gv");
  /** Characters that only look like a space. A shell reads them as part of a word. */
  const blank = /[\p{Zs}--[ ]]+/gv;
  return { unseen, idleJoiner, heap, heaped, inJson, blank };
});

/** Limits how much of a text is read to show a part of it: invisible characters could fill the rest. */
const lookedAt = (maxLength: number): number => 4 * maxLength + 1000;

/** Cleans a hook's text for a terminal or a model: nothing in it hides, moves or reorders text. Visibly cut if too long. */
export function cleanText(text: string, maxLength: number): string {
  const most = lookedAt(maxLength);
  const isLonger = text.length > most;
  const clean = withoutUnseen(isLonger ? cut(text, most) : text);
  return isLonger || clean.length > maxLength ? `${cut(clean, maxLength - 1)}…` : clean;
}

/** A text in which nothing is hidden: most are so. */
const PLAIN = /^[\n\t -~]*$/;
export const isPlain = (text: string): boolean => PLAIN.test(text);

/** Removes invisible characters from a text. */
function withoutUnseen(text: string): string {
  if (PLAIN.test(text)) return text;
  const { unseen, idleJoiner, heaped } = hidden();
  return withoutEscapeSequences(text).replace(unseen, "").replace(idleJoiner, "").replace(heaped, "$1");
}

/** Leaves no half of a surrogate pair at the end. */
export const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");

/** What chooses between the two pictures of a sign. */
const PICTURE_CHOICE = /[\ufe0e\ufe0f]/g;

export const hasPictureChoice = (text: string): boolean => text.search(PICTURE_CHOICE) >= 0;

/** A text without what chooses between two pictures, where there are two. */
export const withoutPictureChoice = (text: string): string =>
  text.replace(/(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]/gv, "");

/** Writes as escapes what is not seen, or is taken for something else. */
function withEscapes(text: string): string {
  if (PLAIN.test(text)) return text;
  const { unseen, idleJoiner, heap, blank } = hidden();
  return [unseen, idleJoiner, heap, blank].reduce((seen, one) => seen.replace(one, escaped), text.toWellFormed());
}

/**
 * A text that a person decides by, on several lines: nothing in it hides, moves or reorders text. What is not seen, or looks like a
 * space, is written as an escape, colours too: whoever runs the text would run that as well. Visibly cut if too long.
 */
export function visibleText(text: string, maxLength: number): string {
  // Nothing is left out, so no more is shown. A joiner's next character, of two units, says what becomes of it.
  const most = maxLength + 2;
  const isLonger = text.length > most;
  const seen = withEscapes(isLonger ? cut(text, most) : text);
  return isLonger || seen.length > maxLength ? `${cut(seen, maxLength - 1)}…` : seen;
}

/** Quotation marks, and what looks like them. */
const QUOTES = /[\\"\u02ba\u02dd\u02ee\u201c-\u201f\u2033\u2036\u275d\u275e\u301d-\u301f\uff02]/g;

/** A stranger's text in quotation marks, which it cannot close: those in it have a backslash. */
export const inQuotes = (text: string): string => `"${text.replace(QUOTES, "\\$&")}"`;

/** {@link cleanText}, and puts the text on one line. */
export const cleanLine = (text: string, maxLength: number): string =>
  cleanText(text, maxLength).replace(/\s+/g, " ").trim();

/**
 * A text on one line in which nothing hides, moves or reorders text: what is not seen is written as an escape, and a new line as
 * `↵`. Visibly cut if it is longer than that many characters before it is written so.
 */
export function visibleLine(text: string, maxLength: number): string {
  const part = text.length > maxLength ? `${cut(text, maxLength - 1)}…` : text;
  return withEscapes(part.replace(/(?:\r?\n|[\t ])+/g, (space) => (space.includes("\n") ? " ↵ " : " "))).trim();
}

/** A name on one line: other names than this are shown as others. What is not seen, and each space but one within it, is an escape. */
export const shownName = (name: string, maxLength = Number.MAX_SAFE_INTEGER): string =>
  visibleLine(name.replace(/(?<= ) |^ | $|[^\S ]/g, escaped), maxLength);

/** Most names in one list. */
const MAX_NAMES = 50;

/** A list of strangers' names, as {@link shownName} gives them. Visibly cut if there are many. */
export function namesText(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.slice(0, MAX_NAMES).map(inQuotes).join(", ")}${more}`;
}

/** An escape of JSON's own for a control character other than a new line or a tab. */
const CONTROL_ESCAPE = /\\(?:[bfr]|u00[01][\da-f])/i;

/** Whether a JSON text has characters, or escapes for them, that {@link cleanText} may remove, or that look like a space. */
export function hasHidden(json: string): boolean {
  if (CONTROL_ESCAPE.test(json)) return true;
  if (PLAIN.test(json)) return false;
  const { unseen, heaped, blank } = hidden();
  return [unseen, JOINER, heaped, blank].some((one) => json.search(one) >= 0);
}

/** Writes the characters of a JSON text that {@link cleanText} may remove as escapes. The meaning stays the same. */
export const escapeUnseen = (json: string): string =>
  PLAIN.test(json) ? json : json.replace(hidden().inJson, escaped);

/** Writes as escapes what {@link hasHidden} looks for. The meaning stays the same. */
export const escapeHidden = (json: string): string =>
  PLAIN.test(json) ? json : escapeUnseen(json).replace(hidden().blank, escaped);
