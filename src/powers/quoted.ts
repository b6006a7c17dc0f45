import { escaped } from "../../sandbox/wire/escaped.ts";
import { escapeUnseen } from "../base/text.ts";

/** Longest that one text of a hook's may be in a question or in the audit: of a longer one, its beginning and its end are shown. */
export const MAX_QUOTED = 1000;

/**
 * A text of a hook's within a sentence of Cordon's: as it is where it has plain characters alone, else in quotation marks,
 * with all that is not seen, and all spaces but the first of a row, written as escapes.
 */
export function quoted(text: string): string {
  const whole = text.length <= MAX_QUOTED;
  if (whole && /^[\w@%+=:,./$*~-]+$/.test(text)) return text;
  const shown = (part: string): string => exactly(JSON.stringify(part));
  return whole ? shown(text) : `${shown(text.slice(0, MAX_QUOTED / 2))}…${shown(text.slice(-MAX_QUOTED / 2))}`;
}

/** JSON that a person reads as what it is: what is not seen, and what could be taken for one space, is an escape. */
export const exactly = (json: string): string => escapeUnseen(json).replace(/(?<= ) +|[^\S ]+/g, escaped);

/** Longest that several texts of a hook's may be together. */
const MAX_QUOTED_TOGETHER = 4000;

/** Parts of a sentence, which are made one after the other. Nobody is asked about so much that some are left out. */
export function together(parts: Iterable<string>): string {
  let line = "";
  for (const part of parts) {
    if (line.length > MAX_QUOTED_TOGETHER) return `${line} …`;
    line += `${line === "" ? "" : " "}${part}`;
  }
  return line;
}
