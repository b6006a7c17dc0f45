import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";

/** Colour only on a terminal that wants it. */
const colours = process.stdout.isTTY === true && process.env.NO_COLOR === undefined && process.env.TERM !== "dumb";
const paint =
  (code: number) =>
  (text: string): string =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;

export const style = {
  bold: paint(1),
  dim: paint(2),
  red: paint(31),
  green: paint(32),
  yellow: paint(33),
  cyan: paint(36),
};

export interface Terminal {
  input: ReadStream;
  output: WriteStream;
  close(): void;
}

/** The controlling terminal, whatever standard input and output are; `undefined` if there is none. */
export function controllingTerminal(): Terminal | undefined {
  if (process.platform === "win32") {
    const both = process.stdin.isTTY && process.stdout.isTTY;
    return both
      ? { input: process.stdin as ReadStream, output: process.stdout as WriteStream, close: () => {} }
      : undefined;
  }
  let descriptors: [number, number];
  try {
    descriptors = [openSync("/dev/tty", "r"), openSync("/dev/tty", "w")];
  } catch {
    return undefined;
  }
  try {
    const input = new ReadStream(descriptors[0]);
    const output = new WriteStream(descriptors[1]);
    return {
      input,
      output,
      close() {
        input.destroy();
        output.destroy();
      },
    };
  } catch {
    for (const descriptor of descriptors) closeSync(descriptor);
    return undefined;
  }
}

/** Text in columns, each as wide as its widest cell; a last one too long for the screen goes on below itself. */
export function table(rows: readonly (readonly string[])[], width = 120): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  const indent = widths.reduce((sum, column) => sum + column + 2, 0);
  return rows
    .map((row) => {
      const padded = (cell: string, column: number): string => cell + " ".repeat(column + 2 - widthOf(cell));
      const head = widths.map((column, index) => padded(row[index] ?? "", column)).join("");
      return head + wrap(row[columns - 1] ?? "", Math.max(20, width - indent)).join(`\n${" ".repeat(indent)}`);
    })
    .join("\n");
}

/** Colours take no place. */
const widthOf = (text: string): number => stripVTControlCharacters(text).length;

function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ").flatMap((one) => one.match(new RegExp(`.{1,${width - 1}}`, "gsu")) ?? [""])) {
    const last = lines.at(-1) as string;
    if (last !== "" && last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}
