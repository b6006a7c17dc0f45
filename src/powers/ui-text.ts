import { withoutHeavy } from "../base/drawn-line.ts";
import { cleanText } from "../base/text.ts";
import { MARK } from "../base/wrap.ts";

/** Longest texts shown: a dialog that fills a few screens is a mistake or a trick. */
export const MAX_TITLE = 4000;
export const MAX_OPTION = 1000;

/** Longest text that a hook can hand to a person to edit. */
export const MAX_EDITOR = 100_000;

/** Lines of one text: the hook's name before it must stay on the screen. */
export const MAX_LINES = 40;

export function shownText(text: string, maxLength: number): string {
  const lines = withoutHeavy(cleanText(text, maxLength)).split("\n");
  return lines.length > MAX_LINES ? `${lines.slice(0, MAX_LINES).join("\n")}…` : lines.join("\n");
}

/** One line of several, with the spaces that align it with the others. */
export const shownRow = (line: unknown): string => shownText(String(line).replace(/[\t\n]/g, " "), MAX_OPTION);

export const markFurther = (text: string): string => text.replaceAll("\n", `\n${MARK}`);

/** Many spaces would push what follows to a row without the name. */
const SPACES = /[^\S\n]{4,}/g;

/** The hook's name stands before its words, so that it cannot imitate Cordon's own questions. */
export const titled = (name: string, title: string): string =>
  `[hook ${name}] ${markFurther(shownText(title, MAX_TITLE).replace(SPACES, " "))}`;

/** A text that stands below a title. */
export const marked = (text: string): string => (text === "" ? "" : `${MARK}${markFurther(text)}`);
