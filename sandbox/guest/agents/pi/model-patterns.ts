import { matchesGlob } from "../../node/path-globs.ts";

/**
 * In place of `minimatch`, which pi asks whether a model fits a pattern, in either case: a second library of that kind would be as
 * large as all else of pi's there.
 */
export function minimatch(name: string, pattern: string): boolean {
  const [, negations = "", positive = ""] = /^(!*)(.*)$/s.exec(pattern.toLowerCase()) ?? [];
  const fits = matchesGlob(name.toLowerCase(), positive.replaceAll("[!", "[^"));
  return fits !== (negations.length % 2 === 1);
}
