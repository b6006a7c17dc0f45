const UUID = /(?<![\da-f])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-f])/;
/** A day, alone or with a time, as ISO 8601 or the name of a file has it. */
const DATE = /(?<!\d)\d{4}([-_.]?)\d\d\1\d\d(?:[T _-]\d\d[-:_.]?\d\d(?:[-:_.]?\d\d(?:[.,_-]\d{1,6})?)?Z?)?(?!\d)/;
/** Milliseconds or seconds since 1970, and milliseconds in base 36. */
const STAMP = /(?<![\da-z])(?:\d{13}|\d{10}|[\da-z]{8})(?![\da-z])/;
const PIECES = new RegExp([UUID, DATE, STAMP].map(({ source }) => source).join("|"), "gi");

/** The noon of today's date, in any zone of the world, is no further away. */
const NEAR_MS = 26 * 3_600_000;

/** Random, or about this moment. Any other date or number is the same the next time. */
function isVolatile(piece: string, now: number): boolean {
  const [, year, month, day] = /^(\d{4})\D?(\d\d)\D?(\d\d)/.exec(piece) ?? [];
  const times = [
    Date.parse(`${year}-${month}-${day}T12:00Z`),
    Number(piece),
    Number(piece) * 1000,
    parseInt(piece, 36),
  ];
  return piece.length === 36 || times.some((time) => Math.abs(time - now) < NEAR_MS);
}

/** A text with what says something else the next time replaced, such as a time or a random id. */
export const replaceVolatile = (text: string, by: (piece: string) => string, now = Date.now()): string =>
  text.replace(PIECES, (piece) => (isVolatile(piece, now) ? by(piece) : piece));

/** A pattern of files, with any such characters in the place of those. */
export const ofAnother = (pattern: string): string =>
  replaceVolatile(pattern, (piece) => piece.replace(/[\da-z]/gi, "?"));

/** True if a text says something else the next time. */
export const hasVolatile = (text: string): boolean => replaceVolatile(text, () => "") !== text;
