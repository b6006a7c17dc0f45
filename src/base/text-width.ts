import { createRequire } from "node:module";
import { builtForHost } from "./package-root.ts";

const require = createRequire(import.meta.url);
/** Every character is one column wide. */
const PLAIN = /^[\x20-\x7e]*$/;

const graphemes = new Intl.Segmenter();

/** Of a cluster, what is drawn into the columns of the character before it. */
const JOINED =
  /\u200d\p{Extended_Pictographic}|(?<=\p{Emoji_Modifier_Base})\p{Emoji_Modifier}|(?<=\p{Regional_Indicator})\p{Regional_Indicator}|(?<=[\u1100-\u115f\ua960-\ua97c])[\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]?/gu;

/** Marks without a column in Unicode's tables, for which some terminals take one. pi does. */
const SPACING = /\u065f|[\u1033-\u1035]|[\u103a-\u103e]|\u20e3/;

let measure: typeof import("string-width").default | undefined;

/**
 * Columns that a text takes on a terminal, at the most: programs measure a cluster of many characters in different ways, and
 * pi ends at a line that is wider than its terminal. The tables of Unicode take 20 ms to load, and most texts need none.
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  measure ??= (require(builtForHost("base", "string-width.cjs")) as typeof import("string-width")).default;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += clusterWidth(segment, measure);
  return width;
}

/** The larger of the width as a whole, and of its characters one by one. */
function clusterWidth(cluster: string, widthOf: (text: string) => number): number {
  const whole = widthOf(cluster);
  if (cluster.length === 1 && !SPACING.test(cluster)) return whole;
  let sum = 0;
  for (const one of cluster.replace(JOINED, "")) sum += SPACING.test(one) ? 1 : widthOf(one);
  return Math.max(whole, sum);
}
