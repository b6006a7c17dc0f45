import { readJson } from "../../sandbox/wire/read-json.ts";
/** Compares two values as JSON, since hooks see nothing else. What JSON cannot hold equals nothing. */
export const isSame = (one: unknown, other: unknown): boolean => isWrittenAs(jsonOf(one), other);

/** The JSON of a value; `undefined` for what JSON cannot hold. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Compares a value with another one's JSON. */
export function isWrittenAs(text: string | undefined, other: unknown): boolean {
  const against = jsonOf(other);
  if (text === undefined || text.length !== against?.length) return false;
  // Values whose members stand in another order have texts of one length.
  if (text === against) return true;
  try {
    const { isDeepStrictEqual } = process.getBuiltinModule("node:util");
    return isDeepStrictEqual(readJson(text), readJson(against));
  } catch {
    return false;
  }
}
