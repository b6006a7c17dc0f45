import { textWidth } from "./text-width.ts";

const graphemes = new Intl.Segmenter();

/** Wraps a text to lines of at most this many columns, between words if possible. */
export function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ").flatMap((one) => pieces(one, width))) {
    const last = lines.at(-1) as string;
    if (last === "") lines[lines.length - 1] = word;
    else if (textWidth(last) + 1 + textWidth(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Splits a word that is longer than a line. */
function pieces(word: string, width: number): string[] {
  if (textWidth(word) <= width) return [word];
  const parts: string[] = [];
  let [part, taken] = ["", 0];
  for (const { segment } of graphemes.segment(word)) {
    const more = textWidth(segment);
    if (taken + more > width) {
      parts.push(part);
      [part, taken] = ["", 0];
    }
    part += segment;
    taken += more;
  }
  return [...parts, part];
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
