import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

/** Text that is put before the character at an offset. It has no line break. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Where the lines of a text begin. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The mappings of a source map, by lines. */
export const mappingsOf = (map: { mappings: string }): SourceMapSegment[][] => decode(map.mappings);

/**
 * Puts text into code, and moves the mappings of its source map along: each place in the code maps to the source that it came from.
 * Of two insertions at one offset, the first comes first.
 */
export function inserted(
  code: string,
  map: { mappings: string },
  insertions: readonly Insertion[],
): { code: string; map: string } {
  const ordered = [...insertions].sort((one, other) => one.at - other.at);
  const starts = lineStarts(code);
  let next = 0;
  const lines = mappingsOf(map).map((segments, row) => {
    const start = starts[row] ?? code.length;
    const end = starts[row + 1] ?? Number.POSITIVE_INFINITY;
    let moved = 0;
    const shifted = segments.map((segment): SourceMapSegment => {
      for (let one = ordered[next]; one && one.at <= start + segment[0]; one = ordered[++next])
        moved += one.text.length;
      // They were decoded for this alone.
      segment[0] += moved;
      return segment;
    });
    while ((ordered[next]?.at ?? end) < end) next++;
    return shifted;
  });
  let [whole, from] = ["", 0];
  for (const { at, text } of ordered) {
    whole += code.slice(from, at) + text;
    from = at;
  }
  return { code: whole + code.slice(from), map: JSON.stringify({ ...map, mappings: encode(lines) }) };
}
