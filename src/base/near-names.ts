import leven from "leven";

/** Longest name that is compared: nobody types a longer one. */
const MAX_LENGTH = 100;
const MAX_NEAR = 3;

/** The known names that a person may have meant, nearest first. */
export function nearNames(name: string, known: Iterable<string>): string[] {
  if (name.length > MAX_LENGTH) return [];
  const typed = name.toLowerCase();
  return [...new Set(known)]
    .filter((one) => one.length <= MAX_LENGTH)
    .map((one) => ({ one, far: leven(typed, one.toLowerCase()) }))
    .filter(({ one, far }) => far <= slipsIn(Math.min(one.length, typed.length)))
    .sort((a, b) => a.far - b.far || (a.one < b.one ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ one }) => one);
}

/** Swapping two letters counts as two edits. */
const slipsIn = (length: number): number => (length < 4 ? 1 : Math.max(2, Math.floor(length / 3)));

/** `; did you mean NAME?`, or nothing. */
export const didYouMean = (name: string, known: Iterable<string>): string => meant(nearNames(name, known));

/** The same, of names that were found. */
export const meant = (near: readonly string[]): string =>
  near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
