import { escaped } from "../../sandbox/wire/escaped.ts";
import { graphemesOf } from "./graphemes.ts";
import { cleanText, cut } from "./text.ts";
import { clusterWidth } from "./text-width.ts";

/** A line of a component: text and colour codes. */
export interface DrawnLine {
  readonly text: string;
  /** In columns. */
  readonly width: number;
}

const ESC = "\u001b";
const COLOURS = new RegExp(`${ESC}\\[([\\d;]{0,100})m`);
const END = `${ESC}[0m`;

/** Codes that stand alone: colours and attributes. Blinking and hidden text, and other fonts, are not among them. */
const SINGLE = /^(?:[012347]|9|2[1-9]|3[0-79]|4[0-79]|9[0-7]|10[0-7])$/;
const SET_COLOUR = new Set(["38", "48"]);

/**
 * How much of a line is read to fill its columns: characters, and codes between them. A line that needs more would keep the
 * agent from its work each time it is drawn.
 */
const lookedAt = (width: number): number => 16 * width + 1000;
const codesLookedAt = (width: number): number => 4 * width + 50;
/** Longer ones are no letters or pictures of any language. */
const MAX_CLUSTER = 64;

/** In columns, as in pi. */
const TAB = "   ";

/**
 * Characters of which only Cordon draws frames, each with the one that a component's line shows instead: the heavy lines
 * of a box.
 */
const HEAVY: Readonly<Record<string, string>> = {
  "━": "─",
  "┃": "│",
  "┏": "┌",
  "┓": "┐",
  "┗": "└",
  "┛": "┘",
  "┣": "├",
  "┫": "┤",
  "┳": "┬",
  "┻": "┴",
  "╋": "┼",
};
const ANY_HEAVY = /[━┃┏┓┗┛┣┫┳┻╋]/gu;

export const hasHeavy = (text: string): boolean => text.search(ANY_HEAVY) >= 0;

/** A text with the characters that only Cordon draws with as escapes. */
export const escapeHeavy = (text: string): string => text.replace(ANY_HEAVY, escaped);

/** A text without the characters that only Cordon draws with. */
export const withoutHeavy = (text: string): string => text.replace(ANY_HEAVY, (one) => HEAVY[one] ?? "?");

const PLAIN = /^[ -~]*$/;

/**
 * Cleans a line of a hook's component for a terminal: only text and colours are left, cut to `width` columns. Its colours
 * end with it.
 */
export function drawnLine(line: string, width: number): DrawnLine {
  const parts = line.split(COLOURS, 2 * codesLookedAt(width) + 1);
  let text = "";
  let used = 0;
  for (const [at, piece] of cleanPieces(parts, lookedAt(width)).entries()) {
    if (used >= width) break;
    if (at > 0) text += colours(parts[2 * at - 1] as string);
    const [start, columns] = fitting(piece, width - used);
    text += start;
    used += columns;
    if (start.length < piece.length) break;
  }
  return { text: parts.length > 1 ? text + END : text, width: used };
}

/** No piece of a line has it, and nothing that is cleaned goes beyond it. */
const BETWEEN = "\n";

/** The texts between the codes of a line, up to so many characters. They are cleaned together: one by one, each costs as much as all. */
function cleanPieces(parts: readonly string[], most: number): string[] {
  const pieces: string[] = [];
  for (let at = 0, left = most; at < parts.length && left > 0; at += 2) {
    const part = cut(parts[at] as string, left);
    left -= part.length;
    pieces.push(part.replaceAll(BETWEEN, " "));
  }
  const joined = pieces.join(BETWEEN);
  return withoutHeavy(cleanText(joined, joined.length).replaceAll("\t", TAB))
    .split(BETWEEN)
    .map((piece, at) => (at > 0 && !PLAIN.test(piece) ? withoutLeadingMarks(piece) : piece));
}

/** Marks that begin a piece of text would be put on the letter before it, which has its own. */
const withoutLeadingMarks = (piece: string): string => piece.replace(/^\p{M}+/u, "");

/** The part of a text that fits, and its columns. */
function fitting(text: string, width: number): [text: string, columns: number] {
  if (PLAIN.test(text)) return [text.slice(0, width), Math.min(text.length, width)];
  let columns = 0;
  let end = 0;
  for (const { segment, index } of graphemesOf(text)) {
    if (segment.length > MAX_CLUSTER) break;
    const needed = clusterWidth(segment);
    if (columns + needed > width) break;
    columns += needed;
    end = index + segment.length;
  }
  return [text.slice(0, end), columns];
}

/** The allowed ones of these codes, as an escape sequence. */
function colours(given: string): string {
  const codes = given === "" ? ["0"] : given.split(";");
  const kept: string[] = [];
  for (let at = 0; at < codes.length; at++) {
    const code = String(Number(codes[at]));
    if (SET_COLOUR.has(code)) {
      const [space] = codes.slice(at + 1);
      const count = { "5": 2, "2": 4 }[String(space)] ?? 0;
      const rest = codes.slice(at + 1, at + 1 + count);
      // A terminal reads the codes after an unfinished colour in its own way.
      if (count === 0 || rest.length < count || rest.some((part) => part === "" || Number(part) > 255)) break;
      kept.push(code, ...rest);
      at += count;
    } else if (SINGLE.test(code)) kept.push(code);
  }
  return kept.length > 0 ? `${ESC}[${kept.join(";")}m` : "";
}
