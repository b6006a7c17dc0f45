import { isAbsolute } from "node:path";

/** Names of variables that hold a place: a made-up one would lead the hook astray. */
const PLACE =
  /(^|_)(HOME|DIR|DIRECTORY|PATH|FILE|FOLDER|ROOT|CONFIG|CWD|PWD|SOCKET|SOCK)$|(HIST|LOG|OUT|PID|RC|TMP)(DIR|PATH|FILE)$/i;
/** Names of variables that hold a number: a made-up word would be refused there. */
const NUMBER =
  /(^|_)(PORT|MS|SECS|SECONDS|MINUTES|TIMEOUT|LIMIT|MAX|MIN|COUNT|SIZE|DEPTH|WIDTH|HEIGHT|BYTES|LINES|TOKENS|DAYS)(_|$)/i;
/** A program that sets these changes what the hooks in it do. */
const MARKS = /^(CI|VITEST|JEST_WORKER_ID|NODE_ENV|NODE_TEST_CONTEXT)$/;

/** Names of variables that say which kind of program or desktop it is: no secret, and hooks compare them. */
const KIND = /^(TERM|TERM_PROGRAM|LC_TERMINAL|COLORTERM|LANG|LC_ALL|XDG_SESSION_TYPE|XDG_CURRENT_DESKTOP)$/;
/** Values that switch something on or off. */
const SWITCH = /^([01]|true|false|yes|no|on|off)$/i;

/** A port, an amount or a time, and no secret under such a name. */
const SHORT_NUMBER = /^\d{1,6}$/;
/** Where a server is: a place as well. With a name or a key of the person before it, all of it is made up. */
const ORIGIN = /^(?:https?|wss?):\/\/[^/?#\\@]+(?=$|[/?#])/i;

/** The hook would find a word that nobody set: it is to be tried without it as well. */
export const isInvented = (name: string): boolean =>
  process.env[name] === undefined && ![MARKS, NUMBER, PLACE].some((names) => names.test(name));

/**
 * What a variable holds for a hook that is tried out. `reads`: whether it may see where things are on this machine; a value
 * that is no place is made up, since a proposal would show it.
 */
export function sampleVariable(name: string, agrees: boolean, reads: boolean): string | null {
  if (MARKS.test(name)) return null;
  const value = process.env[name];
  if (NUMBER.test(name)) return reads && value !== undefined && SHORT_NUMBER.test(value) ? value : null;
  if (!PLACE.test(name)) return agrees ? madeUp(name, value, reads) : null;
  return reads && value !== undefined && isAbsolute(value) ? value : null;
}

/** Built as the real value is, since a hook may take it apart, and without what it says. */
function madeUp(name: string, value: string | undefined, reads: boolean): string {
  if (!reads || value === undefined) return "sample";
  if (KIND.test(name) || SWITCH.test(value)) return value;
  if (value.length > MOST) return "sample";
  const origin = originOf(value);
  return origin + value.slice(origin.length).replace(/[\p{L}\p{N}_]+/gu, "sample") || "sample";
}

/** What says where, at the start of an address; no path of it, which may be a secret. */
function originOf(value: string): string {
  const origin = value.includes("@") ? "" : (ORIGIN.exec(value)?.[0] ?? "");
  return URL.canParse(origin) ? origin : "";
}
const MOST = 500;
