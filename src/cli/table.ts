import { textWidth } from "../base/text-width.ts";
import { MARK, wrap } from "../base/wrap.ts";
import { broken, NARROW, plain, type Screen, type Shown, shown, style } from "./print.ts";

/** The last column is at least this wide. */
const LEAST = 20;

/**
 * Writes a table. Each column is as wide as its widest cell, and as `least` says; a last cell too long for a terminal continues
 * below itself. Elsewhere a row is a line, which programs search and people copy from.
 */
export function printTable(rows: readonly (readonly Shown[])[], screen: Screen, least: readonly number[] = []): void {
  screen.write(`${table(rows, screen.columns ?? Number.POSITIVE_INFINITY, least)}\n`);
}

/**
 * Writes a table under its head. On a narrow screen each row is a list: its first cell, and then the others below each other, each
 * with its head.
 */
export function printUnderHead(head: readonly string[], rows: readonly (readonly Shown[])[], screen: Screen): void {
  if ((screen.columns ?? NARROW) >= NARROW) {
    printTable([head.map(style.bold), ...rows], screen);
    return;
  }
  for (const [first = "", ...rest] of rows) {
    printTable([[first]], screen);
    printTable(
      rest.map((cell, at) => ["", head[at + 1] ?? "", cell]),
      screen,
    );
  }
}

/** Writes one row to standard output, in columns of these widths. A negative width aligns right. */
export const printColumns = (...columns: readonly [cell: Shown, width: number][]): void =>
  void process.stdout.write(`${columns.map(([cell, width]) => padded(cell, width)).join(" ")}\n`);

/** The text of such a table. Every cell is cleaned. */
export function table(rows: readonly (readonly Shown[])[], width: number, least: readonly number[] = []): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.max(least[column] ?? 0, ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  const before = widths.reduce((sum, column) => sum + column + 2, 0);
  // Beside columns that fill the screen there is no room for a last one: it goes below.
  const isBelow = before + LEAST > width;
  const indent = isBelow ? 4 : before;
  return rows
    .map((row) => {
      const head = widths.map((column, index) => padded(row[index] ?? "", column + 2)).join("");
      const last = row[columns - 1] ?? "";
      // A row of a stranger's words would look like one of the table's own.
      const mark = plain(last).startsWith('"') ? MARK : "";
      const [first = "", ...others] = wrap(plain(last), Math.max(LEAST, width - indent - 1 - mark.length));
      const more = others.map((text) => mark + text);
      const rest = more.map((text) => `\n${" ".repeat(indent)}${text}`).join("");
      if (plain(last) === "") return head.trimEnd();
      if (isBelow) return `${broken(head.trimEnd(), width)}\n    ${[first, ...more].join("\n    ")}`;
      return more.length === 0 ? head + shown(last) : head + first + rest;
    })
    .join("\n");
}

/** Columns that a text takes on a terminal. */
const widthOf = (cell: Shown): number => textWidth(plain(cell));

/** A cell padded with spaces. A negative width aligns right. */
function padded(cell: Shown, width: number): string {
  const space = " ".repeat(Math.max(0, Math.abs(width) - widthOf(cell)));
  return width < 0 ? space + shown(cell) : shown(cell) + space;
}
