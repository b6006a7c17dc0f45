import { MARK, wrapLines } from "../../base/wrap.ts";

/** Columns that pi's dialogs keep for themselves. */
const FRAME = 4;
const LEAST_COLUMNS = 20;
/** As pi shows it. */
const TAB = "   ";

/** What pi may put before the first row of a notice: `Warning: `. */
const BEFORE_NOTICE = 9;

/** A terminal, whose width is known if there is one. */
interface Place {
  readonly columns?: number | undefined;
}

/** The rows of a hook's words: one that pi wraps would have no mark. `beside`: columns that something else takes. */
export const rowsOf = ({ columns }: Place, text: string, beside = 0): string[] =>
  columns
    ? wrapLines(
        text.replaceAll("\t", TAB),
        Math.max(LEAST_COLUMNS, columns - FRAME - MARK.length - beside),
        MARK,
      ).split("\n")
    : text.split("\n");

/** The same of a notice, whose lines are marked or Cordon's own. */
export const noticeRows = (place: Place, text: string): string => rowsOf(place, text, BEFORE_NOTICE).join("\n");

/** A report of Cordon's in which there may be words of a hook's, such as an error: no line but the first is Cordon's own. */
export const reportRows = (place: Place, text: string): string =>
  noticeRows(place, text.replaceAll(/\n\s*/g, `\n${MARK}`));
