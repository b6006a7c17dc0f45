import { escapeHeavy, hasHeavy, withoutHeavy } from "../base/drawn-line.ts";
import { cleanText, hasHidden, hasPictureChoice, visibleText, withoutPictureChoice } from "../base/text.ts";
import { textWidth } from "../base/text-width.ts";
import { MARK } from "../base/wrap.ts";

/** Longest texts shown: a dialog that fills a few screens is a mistake or a trick. */
export const MAX_TITLE = 4000;
export const MAX_OPTION = 1000;

/** Longest text that a hook can hand to a person to edit. */
export const MAX_EDITOR = 100_000;

/** Lines of one text: the hook's name before it must stay on the screen. */
export const MAX_LINES = 40;

/** Makes of a hook's text what a person sees, at most that many characters. */
export type Show = (text: string, maxLength: number) => string;

export const shownText: Show = (text, maxLength) => ofFewLines(withoutHeavy(cleanText(text, maxLength)));

/** Of a dialog about an event. What is not seen in the event is seen in the dialog: the call that is allowed has it, too. */
export function showFor(event: { readonly text: string } | undefined): Show {
  if (!event || !(hasHidden(event.text) || hasHeavy(event.text))) return shownText;
  return hasPictureChoice(event.text)
    ? shownExactly
    : (text, maxLength) => shownExactly(withoutPictureChoice(text), maxLength);
}

const shownExactly: Show = (text, maxLength) => ofFewLines(escapeHeavy(visibleText(text, maxLength)));

function ofFewLines(text: string): string {
  const lines = text.split("\n");
  return lines.length > MAX_LINES ? `${lines.slice(0, MAX_LINES).join("\n")}…` : lines.join("\n");
}

/** One line of several, with the spaces that align it with the others. */
export const shownRow = (line: unknown): string => shownText(String(line).replace(/[\t\n]/g, " "), MAX_OPTION);

export const markFurther = (text: string): string => text.replaceAll("\n", `\n${MARK}`);

/** Much white space would push what follows to a row without the name. */
const MUCH_SPACE = /\s{4,}/g;
/** In columns: spaces that end before it align words, and push none to a further row of a terminal. */
const ALIGNED = 40;

/** A long text is not measured up to each of its spaces. */
const aligns = (space: string, before: string): boolean =>
  /^ +$/.test(space) && before.length < ALIGNED && textWidth(before) + space.length <= ALIGNED;

const withoutPadding = (line: string): string =>
  line.replace(MUCH_SPACE, (space, at: number) => (aligns(space, line.slice(0, at)) ? space : " "));

/** The hook's name stands before its words, so that it cannot imitate Cordon's own questions. */
export const titled = (name: string, title: string, show = shownText): string =>
  `[hook ${name}] ${markFurther(show(title, MAX_TITLE))}`.split("\n").map(withoutPadding).join("\n");

/** A text that stands below a title. */
export const marked = (text: string): string => (text === "" ? "" : `${MARK}${markFurther(text)}`);
