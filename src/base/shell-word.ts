import { cleanLine } from "./text.ts";

/** A text as one word for a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The same, in quotation marks only where a shell would read it as more than a word. What a line for people leaves out is written
 * as an escape, which bash and zsh read: another name would be left, and maybe no quotation mark at its end.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./#-]*$/.test(text)) return text;
  const word = shellQuoted(text);
  if (cleanLine(word, word.length) === word) return word;
  // A shell that does not know these escapes finds no quotation mark in between.
  return `$'${text.replace(/[^ -~]|['\\]|(?<= ) /gu, escaped)}'`;
}

const escaped = (one: string): string =>
  [...Buffer.from(one)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/**
 * A command line that a person can paste as it stands: each value is one word, whatever is in it. A value that looks like an option
 * stands behind `--`, so options come before values.
 */
export function command(words: TemplateStringsArray, ...values: readonly string[]): string {
  let isOver = false;
  return words.reduce((line, next, at) => {
    const value = values[at - 1] ?? "";
    const mark = !isOver && value.startsWith("-") && !/ --[\w-]+ $/.test(line) ? "-- " : "";
    isOver ||= mark !== "";
    return `${line}${mark}${shellWord(value)}${next}`;
  });
}

/** The same about a hook, for a verb that may be an agent's own: one that begins with `/` is no shell's. */
export const about = (verb: string, name: string): string =>
  verb.startsWith("/") ? `${verb} ${name}` : `${verb} ${command`${name}`}`;
