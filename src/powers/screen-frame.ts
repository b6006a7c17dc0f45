import { type DrawnLine, drawnLine } from "../base/drawn-line.ts";
import { textWidth } from "../base/text-width.ts";

/** Columns that a frame takes. */
export const BOX_COLUMNS = 4;
export const BAR_COLUMNS = 2;
/** Rows that it takes. */
export const BOX_ROWS = 2;
export const BAR_ROWS = 1;

const LEAVE = "Esc Esc leaves";

/** The frame of a component that has the keyboard: `says` what that means. Only Cordon draws with heavy lines. */
export function box(
  lines: readonly DrawnLine[],
  name: string,
  width: number,
  says: "has the keyboard" | "reads what you type",
): string[] {
  const inner = Math.max(0, width - BOX_COLUMNS);
  return [
    edge("┏", "┓", `hook ${name} ${says}, ${LEAVE}`, width),
    ...lines.map(({ text, width: used }) => `┃ ${text}${" ".repeat(Math.max(0, inner - used))} ┃`),
    edge("┗", "┛", `hook ${name}`, width),
  ];
}

/** The frame of a component that only shows something. */
export const bar = (lines: readonly DrawnLine[], name: string, width: number): string[] =>
  lines.length === 0
    ? []
    : [drawnLine(`hook ${name}`, width - BAR_COLUMNS).text, ...lines.map(({ text }) => text)].map(
        (text, at) => `${at === 0 ? "┏" : "┃"} ${text}`,
      );

function edge(left: string, right: string, words: string, width: number): string {
  const { text } = drawnLine(words, Math.max(0, width - 6));
  const line = `${left}━ ${text} `;
  return line + "━".repeat(Math.max(0, width - textWidth(line) - 1)) + right;
}
