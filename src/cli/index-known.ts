import { resolve } from "node:path";
import { command } from "../base/shell-word.ts";
import { defaultHome } from "../disk/home.ts";
import { forgetIndex, knownIndexes } from "../market/hook-index.ts";
import { sure } from "./about-hook.ts";
import { Refused } from "./common.ts";
import { print, printJson, printResult } from "./print.ts";

/** The address of an index, as it is remembered. */
export const addressOf = (given: string): string => (/^https?:/.test(given) ? given : resolve(given));

/** `cordon index list`: prints the indexes that are asked by `cordon search`, `info` and `add`. */
export function indexList(flags: { json?: boolean }): void {
  const indexes = knownIndexes(defaultHome());
  if (flags.json) printJson({ indexes });
  else if (indexes.length === 0) print`no index is remembered: cordon search WORD --index ADDRESS`;
  else for (const address of indexes) print`${address}`;
}

/**
 * `cordon index forget ADDRESS`: the index is asked no more, and its key is forgotten. A person has to want that: who signs it when it
 * is next read is trusted.
 */
export async function indexForget(given: string, flags: { json?: boolean }): Promise<void> {
  const home = defaultHome();
  const address = addressOf(given);
  if (!knownIndexes(home).includes(address))
    throw new Refused(`no index is remembered from ${address}; cordon index list names those that are`);
  await sure(`Forget the index ${address}, and the key that it was signed with?`);
  forgetIndex(address, home);
  printResult(flags, `${address} is forgotten; to take it again: ${command`cordon search WORD --index ${address}`}`, {
    address,
  });
}
