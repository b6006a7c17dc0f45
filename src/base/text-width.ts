import { createRequire } from "node:module";
import { graphemesOf } from "./graphemes.ts";
import { once } from "./once.ts";
import { builtForHost } from "./package-root.ts";

const require = createRequire(import.meta.url);
/** Every character is one column wide. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Marks without a column in Unicode's tables, for which some terminals take one. pi does. */
const SPACING = "\\u065f\\u1033-\\u1035\\u103a-\\u103e\\u20e3";
const IS_SPACING = new RegExp(`[${SPACING}]`);

/** Of a cluster, what is drawn into the columns of the character before it. */
const joined = once(
  () =>
    new RegExp(
      `[[\\p{Mn}\\p{Me}]--[${SPACING}]]|\\u200d\\p{Extended_Pictographic}|(?<=\\p{Emoji_Modifier_Base})\\p{Emoji_Modifier}|(?<=\\p{Regional_Indicator})\\p{Regional_Indicator}|(?<=[\\u1100-\\u115f\\ua960-\\ua97c])[\\u1160-\\u11a7\\ud7b0-\\ud7c6][\\u11a8-\\u11ff\\ud7cb-\\ud7fb]?`,
      "gv",
    ),
);

/** Widths of clusters: a screen shows few different ones, again and again, and the first look at each takes 10 µs. */
const known = new Map<string, number>();
const MAX_KNOWN = 5000;
/** V8 keeps the whole text of which a longer part is kept. */
const MAX_KNOWN_LENGTH = 12;

let measure: typeof import("string-width").default | undefined;

/**
 * Columns that a text takes on a terminal, at the most: programs measure a cluster of many characters in different ways, and
 * pi ends at a line that is wider than its terminal. The tables of Unicode take 20 ms to load, and most texts need none.
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += clusterWidth(segment);
  return width;
}

/** {@link textWidth} of one cluster. */
export function clusterWidth(cluster: string): number {
  const before = known.get(cluster);
  if (before !== undefined) return before;
  const width = measured(cluster);
  if (known.size >= MAX_KNOWN) known.clear();
  if (cluster.length <= MAX_KNOWN_LENGTH) known.set(cluster, width);
  return width;
}

/** The larger of the width as a whole, and of its characters one by one. */
function measured(cluster: string): number {
  measure ??= (require(builtForHost("base", "string-width.cjs")) as typeof import("string-width")).default;
  const whole = measure(cluster);
  const apart = cluster.replace(joined(), "");
  if (apart.length <= 1 && !IS_SPACING.test(apart)) return whole;
  let sum = 0;
  for (const one of apart) sum += IS_SPACING.test(one) ? 1 : measure(one);
  return Math.max(whole, sum);
}
