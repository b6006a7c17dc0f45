/** What a walk over a JSON text meets, in the order of the text. Sources are parts of it, strings with their quotes. */
export interface JsonVisitor {
  open(isList: boolean): void;
  close(): void;
  key(source: string): void;
  text(source: string): void;
  /** A number, `true`, `false` or `null`. */
  word(source: string): void;
}

const AFTER_WORD = " \t\r\n,]}";

/**
 * Walks once over `text`, which must be JSON. Without a regular expression, which keeps state for each character to backtrack, and
 * fails on a long text.
 */
export function walkJson(text: string, visitor: JsonVisitor): void {
  const open: boolean[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (character === '"') {
      const source = text.slice(at, endOfString(text, at));
      if (keyNext) visitor.key(source);
      else visitor.text(source);
      keyNext = false;
      at += source.length;
      continue;
    }
    at++;
    if (character === "{" || character === "[") {
      open[open.length] = keyNext = character === "{";
      visitor.open(!keyNext);
    } else if (character === "}" || character === "]") {
      open.length--;
      keyNext = false;
      visitor.close();
    } else if (character === ",") keyNext = open[open.length - 1] === true;
    else if (character !== ":" && !AFTER_WORD.includes(character)) {
      const start = at - 1;
      while (at < text.length && !AFTER_WORD.includes(text[at] as string)) at++;
      visitor.word(text.slice(start, at));
    }
  }
}

/** Where the string ends whose first quote is at `start`: behind the next one that is not escaped, or at the text's end. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === "\\") before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}
