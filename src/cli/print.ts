import { wrapAnsi } from "fast-wrap-ansi";
import { cleanLine, escapeUnseen } from "../base/text.ts";
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
  const [start = ""] = /^[ +-]*/.exec(line) ?? [];
  return start.slice(0, MAX_INDENT) + plain(line.slice(start.length));
}

/** A line in Cordon's own words with values between them. Each value is cleaned, and on one line. */
export const line = (words: TemplateStringsArray, ...values: readonly Shown[]): string =>
  words.map((word, at) => (at === 0 ? word : `${shown(values[at - 1] ?? "")}${word}`)).join("");

/** An output that a person reads. */
export interface Screen {
  write(text: string): unknown;
  columns?: number;
}

/** Narrower screens get their lines broken between words. A usual one breaks a long line itself, so that it can be copied whole. */
export const NARROW = 80;

/** The text with its lines broken between words for a narrow screen. What goes on is indented: it is no line of Cordon's own. */
export function broken(text: string, columns: number | undefined): string {
  if (columns === undefined || columns >= NARROW) return text;
  const brokenLine = (one: string): string => {
    const [start = ""] = /^ */.exec(one) ?? [];
    const next = `${start}    `;
    return (
      start +
      wrapAnsi(one.slice(start.length), Math.max(10, columns - next.length), { hard: true }).replaceAll(
        "\n",
        `\n${next}`,
      )
    );
  };
  return text.split("\n").map(brokenLine).join("\n");
}

/** Writes such a line to a screen. */
export const printTo =
  (screen: Screen) =>
  (words: TemplateStringsArray, ...values: readonly Shown[]): void =>
    void screen.write(`${broken(line(words, ...values), screen.columns)}\n`);

/** Writes such a line to standard output. */
export const print = printTo(process.stdout);

/** Writes such a line to standard error: whatever is not the result of the command. */
export const say = printTo(process.stderr);

/** Prints the result of a command: a sentence for people, or a value for programs. */
export function printResult(flags: { json?: boolean }, sentence: string, value: unknown): void {
  if (flags.json) printJson(value);
  else print`${sentence}`;
}

/** Prints JSON on one line, or indented for people to copy. A person may see it on a terminal: unseen characters are escaped. */
export const printJson = (value: unknown, indent = 0): void =>
  void process.stdout.write(`${escapeUnseen(JSON.stringify(value, null, indent))}\n`);
