import { cleanLine, escapeUnseen } from "../base/text.ts";

/** Longest text of somebody else's in one place: a reason is longer, and nothing that people decide by. */
const MAX_SHOWN = 8000;

/** Colour only on a terminal that wants it. */
const colours = process.stdout.isTTY === true && process.env.NO_COLOR === undefined && process.env.TERM !== "dumb";

/** A text with a look. The text is cleaned where it is shown. */
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

/** A text of several lines: further ones begin with a space, and so look like none of Cordon's. */
export class Lines {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a line: it is cleaned there, whoever wrote it. */
export type Shown = string | number | Styled | Lines;

/** The words of a cell or of a place in a line, on one line, without a look. */
export const plain = (value: Shown): string =>
  cleanLine(value instanceof Styled || value instanceof Lines ? value.text : String(value), MAX_SHOWN);

/** A text as a terminal gets it. */
export function shown(value: Shown): string {
  if (value instanceof Styled) return value.paint(plain(value));
  if (value instanceof Lines) return value.text.split("\n").map(plain).join("\n    ");
  return plain(value);
}

/** Words of Cordon's own, with others' between them: those are cleaned, each on one line. */
export const line = (words: TemplateStringsArray, ...values: readonly Shown[]): string =>
  words.map((word, at) => (at === 0 ? word : `${shown(values[at - 1] ?? "")}${word}`)).join("");

/** Whatever shows text to a person. */
export interface Screen {
  write(text: string): unknown;
  columns?: number;
}

/** Writes such a line to a screen. */
export const printTo =
  (screen: Screen) =>
  (words: TemplateStringsArray, ...values: readonly Shown[]): void =>
    void screen.write(`${line(words, ...values)}\n`);

/** Writes such a line to standard output. */
export const print = printTo(process.stdout);

/** The same on standard error: what is no answer. */
export const say = printTo(process.stderr);

/** JSON for programs, which may end up on a person's screen: one line, or with this indent for people to copy. */
export const printJson = (value: unknown, indent = 0): void =>
  void process.stdout.write(`${escapeUnseen(JSON.stringify(value, null, indent))}\n`);
