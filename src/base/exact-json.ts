import { readJson, textOf } from "../../sandbox/wire/read-json.ts";
import { walkJson } from "../../sandbox/wire/walk-json.ts";

/** JSON that different parsers can read differently. */
export class InexactJson extends Error {}

/** Digits that a double always keeps: a number with more may change when it is parsed. */
const MAX_DIGITS = 17;

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
  const value: unknown = readJson(text);
  checkExact(text);
  return value;
}

function checkExact(text: string): void {
  /** The keys of each open object, or `undefined` for a list. */
  const open: (Set<string> | undefined)[] = [];
  walkJson(text, {
    open: (isList) => open.push(isList ? undefined : new Set()),
    close: () => open.pop(),
    key(source) {
      const written = wellFormed(source);
      const keys = open.at(-1);
      if (keys?.has(written)) throw new InexactJson(`the key ${shown(source)} stands twice in one object`);
      keys?.add(written);
    },
    text: wellFormed,
    word(source) {
      if (!["true", "false", "null"].includes(source)) checkNumber(source);
    },
  });
}

/** What a string of JSON says. */
function wellFormed(source: string): string {
  const written = textOf(source);
  if (!written.isWellFormed()) throw new InexactJson(`half of a character in ${shown(source)}`);
  return written;
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
