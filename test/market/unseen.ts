/** Controls, and characters that hide or reorder text; written independently of Cordon's own list. */
// biome-ignore format: a table
const UNSEEN = new Set(
  [
    [0, 8], [0xb, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x115f, 0x1160], [0x200b, 0x200b],
    [0x200e, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x2800, 0x2800], [0x3164, 0x3164], [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff9, 0xfffb], [0xe0000, 0xe0fff],
  ].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, at) => first + at)),
);

/** The characters of a text that a person would not see, or would see elsewhere. */
export const unseen = (text: string): string[] =>
  [...text]
    .map((one) => one.codePointAt(0) as number)
    .filter((point) => UNSEEN.has(point))
    .map((point) => `U+${point.toString(16)}`);
