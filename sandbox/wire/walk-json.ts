/** What a walk over a JSON text meets, in the order of the text. Sources are parts of it, strings with their quotes. */
export interface JsonVisitor {
  open(isList: boolean): void;
  close(): void;
  key(source: string): void;
  text(source: string): void;
  /** A number, `true`, `false` or `null`. */
  word(source: string): void;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * Walks once over `text`, which must be JSON. Without a regular expression, which keeps state for each character to backtrack, and
 * fails on a long text.
 */
export function walkJson(text: string, visitor: JsonVisitor): void {
  const open: boolean[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const source = text.slice(at, endOfString(text, at));
      if (keyNext) visitor.key(source);
      else visitor.text(source);
      keyNext = false;
      at += source.length;
      continue;
    }
    if (code === OPEN_LIST || code === OPEN_OBJECT) {
      keyNext = code === OPEN_OBJECT;
      open.push(keyNext);
      visitor.open(!keyNext);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      open.pop();
      keyNext = false;
      visitor.close();
    } else if (code === COMMA) keyNext = open.at(-1) === true;
    else if (code !== COLON && !isSpace(code)) {
      const start = at;
      while (at < text.length && isInWord(text.charCodeAt(at))) at++;
      visitor.word(text.slice(start, at));
      continue;
    }
    at++;
  }
}

const isInWord = (code: number): boolean =>
  code !== COMMA && code !== CLOSE_LIST && code !== CLOSE_OBJECT && !isSpace(code);

/** Where the string ends whose first quote is at `start`: behind the next one that is not escaped, or at the text's end. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1))
    if (!isEscaped(text, quote)) return quote + 1;
  return text.length;
}

/** Whether the character at `at` in a string has an odd number of backslashes before it. */
export function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}
