/** Compares two values as JSON, since hooks see nothing else. What JSON cannot hold equals nothing. */
export function isSame(one: unknown, other: unknown): boolean {
  try {
    const [text, against] = [JSON.stringify(one), JSON.stringify(other)];
    if (text === undefined || text.length !== against?.length) return false;
    // Values whose members stand in another order have texts of one length.
    if (text === against) return true;
    const { isDeepStrictEqual } = process.getBuiltinModule("node:util");
    return isDeepStrictEqual(JSON.parse(text), JSON.parse(against));
  } catch {
    return false;
  }
}
