import { isAbsolute } from "node:path";

/** Names of variables that hold a place: a made-up one would lead the hook astray. */
const PLACE = /(^|_)(HOME|DIR|DIRECTORY|PATH|FILE|FOLDER|ROOT|CONFIG|CWD|PWD|SOCKET|SOCK)$/i;
/** Names of variables that hold a number: without one, a hook uses a number of its own. */
const NUMBER =
  /(^|_)(PORT|MS|SECS|SECONDS|MINUTES|TIMEOUT|LIMIT|MAX|MIN|COUNT|SIZE|DEPTH|WIDTH|HEIGHT|BYTES|LINES|TOKENS|DAYS)(_|$)/i;
/** A program that sets these changes what the hooks in it do. */
const MARKS = /^(CI|VITEST|JEST_WORKER_ID|NODE_ENV|NODE_TEST_CONTEXT)$/;

/** Names of variables that say which kind of program or desktop it is: no secret, and hooks compare them. */
const KIND = /^(TERM|TERM_PROGRAM|LC_TERMINAL|COLORTERM|LANG|LC_ALL|XDG_SESSION_TYPE|XDG_CURRENT_DESKTOP)$/;
/** Values that switch something on or off. */
const SWITCH = /^([01]|true|false|yes|no|on|off)$/i;

/**
 * What a variable holds for a hook that is tried out. `reads`: whether it may see where things are on this machine; a value
 * that is no place is made up, since a proposal would show it.
 */
export function sampleVariable(name: string, agrees: boolean, reads: boolean): string | null {
  if (MARKS.test(name) || NUMBER.test(name)) return null;
  const value = process.env[name];
  if (!PLACE.test(name)) return agrees ? madeUp(name, value, reads) : null;
  return reads && value !== undefined && isAbsolute(value) ? value : null;
}

/** Built as the real value is, since a hook may take it apart, and without what it says. */
function madeUp(name: string, value: string | undefined, reads: boolean): string {
  if (!reads || value === undefined) return "sample";
  if (KIND.test(name) || SWITCH.test(value)) return value;
  return value.length > MOST ? "sample" : value.replace(/[\p{L}\p{N}_]+/gu, "sample") || "sample";
}
const MOST = 500;
