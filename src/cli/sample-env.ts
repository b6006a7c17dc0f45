import { isAbsolute } from "node:path";

/** Names of variables that hold a place: a made-up one would lead the hook astray. */
const PLACE = /(^|_)(HOME|DIR|DIRECTORY|PATH|FILE|FOLDER|ROOT|CONFIG|CWD|PWD|SOCKET|SOCK)$/i;
/** Names of variables that hold a number: without one, a hook uses a number of its own. */
const NUMBER =
  /(^|_)(PORT|MS|SECS|SECONDS|MINUTES|TIMEOUT|LIMIT|MAX|MIN|COUNT|SIZE|DEPTH|WIDTH|HEIGHT|BYTES|LINES|TOKENS|DAYS)(_|$)/i;
/** A program that sets these changes what the hooks in it do. */
const MARKS = /^(CI|VITEST|JEST_WORKER_ID|NODE_ENV|NODE_TEST_CONTEXT)$/;

/**
 * What a variable holds for a hook that is tried out. `reads`: whether it may see where things are on this machine; a value
 * that is no place is made up, since a proposal would show it.
 */
export function sampleVariable(name: string, agrees: boolean, reads: boolean): string | null {
  if (MARKS.test(name) || NUMBER.test(name)) return null;
  if (!PLACE.test(name)) return agrees ? "sample" : null;
  const value = process.env[name];
  return reads && value !== undefined && isAbsolute(value) ? value : null;
}
