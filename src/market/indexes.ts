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
 * All hooks that a person's indexes offer. An index that cannot be read is reported and skipped, unless it was named.
 *
 * @param named addresses that are given now: they are remembered
 */
export async function offeredIn(
  home: string,
  named: readonly string[],
  note: (text: string) => void,
): Promise<Offered[]> {
  const offered: Offered[] = [];
  for (const address of new Set([...named, ...knownIndexes(home)])) {
    try {
      const { name: from, hooks } = await readIndex(address, home, note);
      offered.push(...Object.entries(hooks).map(([name, entry]): Offered => ({ name, from, ...entry })));
    } catch (error) {
      if (named.includes(address)) throw error;
      note(cleanLine(messageOf(error), 500));
    }
  }
  return offered;
}
