import type { Tokens } from "marked";
import { type Page, plainText } from "./pages.ts";

/** A table of a page. */
export interface PageTable {
  /** The heading above it. */
  readonly of: string;
  readonly head: readonly string[];
  /** The plain text of each cell. */
  readonly rows: readonly (readonly string[])[];
}

export function tablesOf({ tokens }: Pick<Page, "tokens">): PageTable[] {
  let of = "";
  return tokens.flatMap((token) => {
    if (token.type === "heading") of = plainText(token.tokens ?? []);
    if (token.type !== "table") return [];
    const { header, rows } = token as Tokens.Table;
    const text = (cell: Tokens.TableCell): string => plainText(cell.tokens);
    return [{ of, head: header.map(text), rows: rows.map((row) => row.map(text)) }];
  });
}
