/** JSON that different parsers can read differently. */
export class InexactJson extends Error {}

/** Digits that a double always keeps: a number with more may change when it is parsed. */
const MAX_DIGITS = 17;

const IN_NUMBER = "0123456789+-.eE";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of bytes. Throws {@link InexactJson} if they are not UTF-8: each reader puts other characters in their place. */
export function exactText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new InexactJson("not UTF-8");
  }
}

/**
 * Parses JSON that another program runs as it is written, while hooks judge the parsed value. Throws {@link InexactJson} if
 * the two could differ: for a duplicate key (parsers take the first or the last), an integer beyond ±(2^53-1), a number that
 * becomes infinite or 0 or has more than 17 significant digits, and for half of a surrogate pair. Throws a `SyntaxError` for
 * text that is not JSON.
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  checkExact(text);
  return value;
}

/** Walks once over `text`, which is JSON, with the keys of each open object, or `undefined` for a list. */
function checkExact(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (character === '"') {
      const source = text.slice(at, endOfString(text, at));
      const written: string = source.includes("\\") ? JSON.parse(source) : source.slice(1, -1);
      if (!written.isWellFormed()) throw new InexactJson(`half of a character in ${shown(source)}`);
      const keys = open.at(-1);
      if (keyNext && keys) {
        if (keys.has(written)) throw new InexactJson(`the key ${shown(source)} stands twice in one object`);
        keys.add(written);
        keyNext = false;
      }
      at += source.length;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      const source = text.slice(at, endOfNumber(text, at));
      checkNumber(source);
      at += source.length;
    } else {
      if (character === "{") open.push(new Set());
      else if (character === "[") open.push(undefined);
      else if (character === "}" || character === "]") open.pop();
      if (character === "{" || character === ",") keyNext = open.at(-1) !== undefined;
      at++;
    }
  }
}

// Without a regular expression, which keeps state for each character to backtrack, and fails on a long text.

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === "\\") before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && IN_NUMBER.includes(text[end] as string)) end++;
  return end;
}

function checkNumber(source: string): void {
  const value = Number(source);
  const digits = significantDigits(source);
  const fault =
    Math.abs(value) === Number.POSITIVE_INFINITY
      ? "is too large"
      : value === 0 && digits > 0
        ? "is too small"
        : digits > MAX_DIGITS
          ? `has more than ${MAX_DIGITS} significant digits`
          : Number.isInteger(value) && !Number.isSafeInteger(value)
            ? "is an integer beyond 2^53-1"
            : undefined;
  if (fault) throw new InexactJson(`the number ${shown(source)} ${fault}: it would be judged as another one`);
}

/** From the first digit that is not 0 to the last. */
function significantDigits(source: string): number {
  let [seen, significant] = [0, 0];
  for (const character of source) {
    if (character === "e" || character === "E") break;
    if (character === "-" || character === "." || (seen === 0 && character === "0")) continue;
    seen++;
    if (character !== "0") significant = seen;
  }
  return significant;
}

const shown = (source: string): string => (source.length > 100 ? `${source.slice(0, 100)}…` : source).toWellFormed();
