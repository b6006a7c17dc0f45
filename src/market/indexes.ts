import { messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { type IndexEntry, knownIndexes, readIndex } from "./hook-index.ts";

/** A hook that an index offers. */
export interface Offered extends IndexEntry {
  name: string;
  /** The index's name, or `npm`. */
  from: string;
}

/**
 * All that a person's indexes offer. One that cannot be read is told of and passed over, unless it was named.
 *
 * @param named places given now: they are remembered
 */
export async function offeredIn(
  home: string,
  named: readonly string[],
  note: (text: string) => void,
): Promise<Offered[]> {
  const offered: Offered[] = [];
  for (const place of new Set([...named, ...knownIndexes(home)])) {
    try {
      const { name: from, hooks } = await readIndex(place, home, note);
      offered.push(...Object.entries(hooks).map(([name, entry]): Offered => ({ name, from, ...entry })));
    } catch (error) {
      if (named.includes(place)) throw error;
      note(cleanLine(messageOf(error), 500));
    }
  }
  return offered;
}
