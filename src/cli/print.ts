import { cleanLine, escapeUnseen } from "../base/text.ts";
import { MARK, wrap } from "../base/wrap.ts";
import { DEFAULT_COLUMNS } from "./screen-width.ts";

/** Longer texts of others are cut. Only the reason of a block can be longer, and no text that people decide by. */
const MAX_SHOWN = 8000;

// A terminal that was opened without a size says 0.
for (const screen of [process.stdout, process.stderr]) if (screen.columns === 0) screen.columns = DEFAULT_COLUMNS;

/** Use colour only on a terminal that supports it, and unless `NO_COLOR` is set. */
const colours = process.stdout.isTTY === true && process.env.NO_COLOR === undefined && process.env.TERM !== "dumb";

/** A text with a colour or weight. It is cleaned when it is printed. */
class Styled {
  readonly text: string;
  readonly #code: number;

  constructor(code: number, text: string) {
    this.#code = code;
    this.text = text;
  }

  paint(clean: string): string {
    return colours ? `\u001b[${this.#code}m${clean}\u001b[0m` : clean;
  }
}

const look = (code: number) => (text: string) => new Styled(code, text);

export const style = {
  bold: look(1),
  dim: look(2),
  red: look(31),
  green: look(32),
  yellow: look(33),
};

/**
 * A text of several lines. All but the first are indented, so that none looks like a line of Cordon's own; what a line begins with
 * in spaces and marks of a diff stays.
 */
export class Lines {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a printed line. It is always cleaned, whoever wrote it. */
export type Shown = string | number | Styled | Lines;

/** The cleaned text of a value, on one line, without colour. */
export const plain = (value: Shown): string =>
  cleanLine(value instanceof Styled || value instanceof Lines ? value.text : String(value), MAX_SHOWN);

/** The text that is sent to the terminal. */
export function shown(value: Shown): string {
  if (value instanceof Styled) return value.paint(plain(value));
  if (value instanceof Lines) return value.text.split("\n").map(indented).join("\n    ");
  return plain(value);
}

const MAX_INDENT = 80;

function indented(line: string): string {
  const [start = ""] = /^[ \t+-]*/.exec(line) ?? [];
  return start.replaceAll("\t", "    ").slice(0, MAX_INDENT) + plain(line.slice(start.length));
}

/** A line in Cordon's own words with values between them. Each value is cleaned, and on one line. */
export const line = (words: TemplateStringsArray, ...values: readonly Shown[]): string =>
  words.map((word, at) => (at === 0 ? word : `${shown(values[at - 1] ?? "")}${word}`)).join("");

/** An output that a person reads. */
export interface Screen {
  write(text: string): unknown;
  columns?: number;
}

/** On a narrower screen all lines are broken between words. A usual one breaks a long line itself, so that it can be copied whole. */
export const NARROW = 80;

/** Of what goes on: it is no line of Cordon's own. */
const INDENT = "    ";

/** Breaks each line between words to fit a screen. What goes on is indented, and begins with the mark. */
export function broken(text: string, columns: number, mark = ""): string {
  const most = Math.floor(columns / 4);
  return text
    .split("\n")
    .map((one, at) => {
      const [spaces = ""] = /^ */.exec(one) ?? [];
      const words = one.slice(spaces.length);
      const isMarked = at > 0 && mark !== "";
      const start = isMarked ? INDENT + mark : spaces.slice(0, most);
      const next = isMarked ? start : start + INDENT + mark;
      const rest = isMarked && words.startsWith(mark) ? words.slice(mark.length) : words;
      return start + wrap(rest, Math.max(2, columns - next.length)).join(`\n${next}`);
    })
    .join("\n");
}

/** Writes such a line to a screen. */
export const printTo =
  (screen: Screen) =>
  (words: TemplateStringsArray, ...values: readonly Shown[]): void => {
    const text = line(words, ...values);
    const { columns = NARROW } = screen;
    screen.write(`${columns < NARROW ? broken(text, columns) : text}\n`);
  };

/**
 * Writes a line in which there are words of a hook, or an error, which may hold some. On a terminal each further row has a mark:
 * else padded words would begin a row as Cordon does.
 */
export const printMarkedTo =
  (screen: Screen) =>
  (words: TemplateStringsArray, ...values: readonly Shown[]): void => {
    const text = line(words, ...values);
    screen.write(`${screen.columns === undefined ? text : broken(text, screen.columns, MARK)}\n`);
  };

/** Writes such a line to standard output. */
export const print = printTo(process.stdout);

/** Writes such a line to standard error: whatever is not the result of the command. */
export const say = printTo(process.stderr);

/** {@link printMarkedTo} standard output. */
export const printMarked = printMarkedTo(process.stdout);

/** {@link printMarkedTo} standard error. */
export const sayMarked = printMarkedTo(process.stderr);

/** Prints the result of a command: a sentence for people, or a value for programs. */
export function printResult(flags: { json?: boolean }, sentence: string, value: unknown): void {
  if (flags.json) printJson(value);
  else print`${sentence}`;
}

/** Prints JSON on one line, or indented for people to copy. A person may see it on a terminal: unseen characters are escaped. */
export const printJson = (value: unknown, indent = 0): void =>
  void process.stdout.write(`${escapeUnseen(JSON.stringify(value, null, indent))}\n`);
