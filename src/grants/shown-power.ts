import { CordonError, type ErrorCode } from "../base/errors.ts";
import { exactly } from "../powers/quoted.ts";
import { type Danger, dangerOf } from "./danger-rank.ts";
import type { Capabilities } from "./schema.ts";

/** The longest list of powers that a person reads to its end: about two screens. */
const MAX_REVIEWED = 4000;

/** A power as people see it: its name, as in `fs`, and what of it. */
export interface ShownPower {
  power: string;
  /** JSON, the most dangerous first. Grants with the same entries have the same text, and no others have. */
  text: string;
}

/**
 * Powers in the one form in which people see them, always whole: the most dangerous power first, and in each power the most
 * dangerous entry first. Equal entries are shown once.
 */
export function shownPowers(powers: Capabilities): ShownPower[] {
  return Object.entries(powers)
    .filter(([, value]) => value !== undefined)
    .map(([power, value]) => ({ power, rank: dangerOf(power, value), text: shownPower(power, value) }))
    .sort(worstFirst)
    .map(({ power, text }) => ({ power, text }));
}

/** The same texts by the names of the powers. */
export const shownByName = (powers: Capabilities): Record<string, string> =>
  Object.fromEntries(shownPowers(powers).map(({ power, text }) => [power, text]));

/** The text of one power in that form. */
export const shownPower = (power: string, value: unknown): string => exactly(ordered(power, value).text);

/**
 * Throws for powers that are too long to review: an author could hide something at the end of a long list.
 *
 * @param where whose powers they are, as the start of a message
 */
export function refuseUnreviewable(powers: readonly Capabilities[], where: string, code: ErrorCode): void {
  const length = powers.flatMap(shownPowers).reduce((sum, { power, text }) => sum + power.length + text.length, 0);
  if (length <= MAX_REVIEWED) return;
  const fault = `too long to be reviewed: ${length} characters of powers, and ${MAX_REVIEWED} is the most`;
  throw new CordonError(code, `${where}: ${fault}; name fewer and wider ones, so that a person can judge them`);
}

interface Ordered {
  rank: Danger;
  text: string;
}

const worstFirst = (a: Ordered, b: Ordered): number => b.rank - a.rank || (a.text < b.text ? -1 : 1);

/** A value with its parts in order. `path`: the power, and the part of it. */
function ordered(path: string, value: unknown): Ordered {
  const rank = dangerOf(path, value);
  if (Array.isArray(value)) {
    // The order of arguments matters.
    const parts = value.map((item) => ordered(path, item)).sort(isSet(path) ? worstFirst : () => 0);
    const texts = parts.map(({ text }) => text);
    return { rank, text: `[${(isSet(path) ? [...new Set(texts)] : texts).join(",")}]` };
  }
  if (typeof value !== "object" || value === null) return { rank, text: JSON.stringify(value) };
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => ({ key, ...ordered(`${path}.${key}`, part) }))
    .map(({ key, rank, text }) => ({ key, rank, text: `${JSON.stringify(key)}:${text}` }))
    .sort(path === "exec" ? asCommand : worstFirst);
  return { rank, text: `{${parts.map(({ text }) => text).join(",")}}` };
}

const isSet = (path: string): boolean => !path.startsWith("exec.") || path.endsWith(".values");

const COMMAND = ["program", "args", "fullAccess", "gitNetwork", "stdin", "cwd", "env"];
/** The parts of a command line in the order of typing, and then its conditions. */
const asCommand = (a: { key: string }, b: { key: string }): number =>
  position(a.key) - position(b.key) || (a.key < b.key ? -1 : 1);
const position = (key: string): number => (COMMAND.includes(key) ? COMMAND.indexOf(key) : COMMAND.length);
