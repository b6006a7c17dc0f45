import { textWidth } from "../base/text-width.ts";
import { DEFAULT_COLUMNS } from "./screen-width.ts";
import { wrap } from "./table.ts";

/** Columns that the frame of a dialog takes. */
const FRAME = 6;
const TAB = "    ";

/** Begins each further line of a hook's line that is wrapped here: a line that the terminal wraps would have no mark. */
const MARK = "| ";

/** Wraps the text of a dialog, which is clean and marked, to the screen. `isHooks`: a hook wrote it, and not Cordon. */
export function dialogText(text: string, isHooks: boolean, columns = DEFAULT_COLUMNS): string {
  const width = Math.max(20, columns - FRAME - MARK.length);
  const lines = text.replaceAll("\t", TAB).split("\n");
  return lines
    .flatMap((line) => (textWidth(line) <= width ? [line] : wrap(line, width).map(isHooks ? markFurther : same)))
    .join("\n");
}

const markFurther = (line: string, at: number): string => (at === 0 || line.startsWith(MARK) ? line : MARK + line);
const same = (line: string): string => line;
