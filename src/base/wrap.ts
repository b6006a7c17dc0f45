import { graphemesOf } from "./graphemes.ts";
import { textWidth } from "./text-width.ts";

const ESC = "\u001b";
/** A colour or a weight of Cordon's own, which takes no column. A clean text has none. */
const LOOK = new RegExp(`${ESC}\\[\\d+m`, "g");
const PARTS = new RegExp(`${LOOK.source}|[^${ESC}]+`, "g");

const seenWidth = (text: string): number => textWidth(text.replace(LOOK, ""));

/**
 * Wraps a clean text, which may have colours, to lines of at most this many columns, between words if possible. A command of Cordon's
 * that a line has room for stays on one, so that it can be copied.
 */
export function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of withCommands(text.split(" "), width).flatMap((one) => pieces(one, width))) {
    const last = lines.at(-1) as string;
    if (last === "") lines[lines.length - 1] = word;
    else if (seenWidth(last) + 1 + seenWidth(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** The words of a text, those of a command as one: up to a mark, or a word that begins another. */
function withCommands(words: readonly string[], width: number): string[] {
  const all: string[] = [];
  for (let at = 0; at < words.length; ) {
    let command = words[at] as string;
    let end = at + 1;
    const goesOn = (): boolean =>
      end < words.length && !/[;,]$/.test(command) && !BEGINS_ANOTHER.has(words[end] as string);
    // What is longer than a line is found out before all of it is looked at.
    if (command === "cordon")
      while (goesOn() && command.length <= MOST_FOR_COLUMN * width) command += ` ${words[end++]}`;
    const fits = end > at + 1 && !goesOn() && seenWidth(command) <= width;
    all.push(fits ? command : (words[at] as string));
    at = fits ? end : at + 1;
  }
  return all;
}

const BEGINS_ANOTHER: ReadonlySet<string> = new Set(["cordon", "or", "and"]);

/** Most characters of a text for each column that it takes. Others are marks, which none of Cordon's commands has. */
const MOST_FOR_COLUMN = 4;

/** Splits a word that is longer than a line. */
function pieces(word: string, width: number): string[] {
  if (seenWidth(word) <= width) return [word];
  const parts: string[] = [];
  let [part, taken] = ["", 0];
  for (const segment of clusters(word)) {
    const more = seenWidth(segment);
    if (taken + more > width) {
      parts.push(part);
      [part, taken] = ["", 0];
    }
    part += segment;
    taken += more;
  }
  return [...parts, part];
}

/** The characters of a word as people see them, and each colour whole. */
function* clusters(word: string): Iterable<string> {
  for (const [part] of word.matchAll(PARTS))
    if (part.startsWith(ESC)) yield part;
    else for (const { segment } of graphemesOf(part)) yield segment;
}

/** Begins each line of a hook's words but that with its name: no line of Cordon's own begins so. */
export const MARK = "| ";

/** Wraps each line to this many columns. A further row of it has the mark, too, which stands before those columns. */
export const wrapLines = (text: string, width: number, mark: string): string =>
  text
    .split("\n")
    .flatMap((line) =>
      textWidth(line) <= width
        ? [line]
        : wrap(line, width).map((row, at) => (at === 0 || row.startsWith(mark) ? row : mark + row)),
    )
    .join("\n");
