import { attemptOr } from "../base/attempt.ts";
import { messageOf } from "../base/errors.ts";
import { cleanLine } from "../base/text.ts";
import { type HookIndex, type IndexEntry, knownIndexes, lastRead, readIndex } from "./hook-index.ts";

/** A hook that an index offers. */
export interface Offered extends IndexEntry {
  name: string;
  /** The index's name, or `npm`. */
  from: string;
}

/**
 * All hooks that a person's indexes offer. If an index cannot be read, or is not to be trusted as it is now, this is reported
 * and its last copy counts. If it was named now, that is an error.
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
    const index = named.includes(address) ? await readIndex(address, home) : await readOrLast(address, home, note);
    for (const [name, entry] of Object.entries(index?.hooks ?? {}))
      offered.push({ name, from: index?.name ?? address, ...entry });
  }
  return offered;
}

async function readOrLast(address: string, home: string, note: (text: string) => void): Promise<HookIndex | undefined> {
  try {
    return await readIndex(address, home);
  } catch (error) {
    const last = attemptOr(() => lastRead(address, home), undefined);
    note(`${cleanLine(messageOf(error), 500)}${last ? ": using the copy that was read last" : ""}`);
    return last;
  }
}
