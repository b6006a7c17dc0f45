import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import { fileOf } from "./source-positions.ts";

/**
 * Most places of a source map. At a hook's first error the agent's process reads all of them: so many take 50 ms, and a bundle of
 * 2 MB could have more than a million. Most hooks have some thousands.
 */
export const MAX_PLACES = 50_000;

/** Longest mappings that are thinned. The places of longer ones do not fit into a build process. */
const MAX_MAPPINGS = 20 * 1024 * 1024;

/** What tells places apart. */
interface Place {
  readonly isOwn: boolean;
  readonly startsLine: boolean;
}

/** Which places stay, by how many there are. Where another file begins, one always does. */
const LEVELS: readonly ((place: Place) => boolean)[] = [
  () => true,
  ({ isOwn, startsLine }) => isOwn || startsLine,
  ({ isOwn }) => isOwn,
  ({ isOwn, startsLine }) => isOwn && startsLine,
  () => false,
];

/**
 * A source map with up to {@link MAX_PLACES}. One with more loses some of them, those in other files than the hook's own first:
 * a position there is then that of the line in the bundle, or of the file.
 *
 * @param map as JSON text
 * @param isOwn whether a file is code of the hook's, and not Cordon's or of a package that the hook uses
 */
export function thinned(map: string, isOwn: (file: string) => boolean): string {
  const { mappings, sources, ...rest } = JSON.parse(map) as { mappings: string; sources: string[] };
  // Each place has a character at least, and one that divides it from the next.
  if (mappings.length < 2 * MAX_PLACES) return map;
  const own = new Set(sources.flatMap((source, at) => (isOwn(fileOf(source)) ? [at] : [])));
  const lines = mappings.length > MAX_MAPPINGS ? [] : decode(mappings);
  for (const stays of LEVELS) {
    let file: number | undefined;
    const kept = lines.map((line) =>
      line.filter(([, source]: SourceMapSegment, at) => {
        const entersFile = source !== file;
        file = source;
        return entersFile || stays({ isOwn: source !== undefined && own.has(source), startsLine: at === 0 });
      }),
    );
    if (kept.reduce((sum, line) => sum + line.length, 0) <= MAX_PLACES)
      return JSON.stringify({ ...rest, sources, mappings: encode(kept) });
  }
  return JSON.stringify({ ...rest, sources, mappings: "" });
}
