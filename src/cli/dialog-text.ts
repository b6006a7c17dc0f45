import stringWidth from "string-width";
import { wrap } from "./table.ts";

const DEFAULT_WIDTH = 80;
/** What the dialogs' own frame takes of a line. */
const FRAME = 6;
const TAB = "    ";

/** Begins what is left of a hook's line that is too long for the screen: the terminal's own next line would have no mark. */
const MARK = "| ";

/** A text of a dialog, which was cleaned and marked before, in lines that fit on a screen. `isHooks`: not Cordon's own. */
export function dialogText(text: string, isHooks: boolean, columns = DEFAULT_WIDTH): string {
  const width = Math.max(20, columns - FRAME - MARK.length);
  const lines = text.replaceAll("\t", TAB).split("\n");
  return lines
    .flatMap((line) => (stringWidth(line) <= width ? [line] : wrap(line, width).map(isHooks ? markFurther : same)))
    .join("\n");
}

const markFurther = (line: string, at: number): string => (at === 0 || line.startsWith(MARK) ? line : MARK + line);
const same = (line: string): string => line;
