import { MARK, wrapLines } from "../base/wrap.ts";
import { DEFAULT_COLUMNS } from "./screen-width.ts";

/** Columns that the frame of a dialog takes. */
const FRAME = 6;
const TAB = "    ";

/**
 * Wraps the text of a dialog, which is clean and marked, to the screen. `isHooks`: a hook wrote it, and not Cordon. A line of
 * its that the terminal wraps would have no mark.
 */
export const dialogText = (text: string, isHooks: boolean, columns = DEFAULT_COLUMNS): string =>
  wrapLines(text.replaceAll("\t", TAB), Math.max(20, columns - FRAME - MARK.length), isHooks ? MARK : "");
