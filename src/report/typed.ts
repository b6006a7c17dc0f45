import { shellQuoted, shellWord } from "../base/shell-word.ts";
import { visibleLine } from "../base/text.ts";
import type { StalePower } from "../grants/stale-grant.ts";

/**
 * A command for a person to type about a hook. A file may have any name: what a shell would read as more than a name is quoted, and
 * for a name that hides something, or looks like an option, there is no command.
 */
export function commandAbout(command: string, name: string, ...more: readonly string[]): string | undefined {
  if (name.startsWith("-") || visibleLine(name, name.length) !== name) return undefined;
  return ["cordon", command, shellWord(name), ...more].join(" ");
}

/** Longest grant in a command: people copy it, and read it before. */
const MAX_GRANT = 1000;

/** The command that grants a hook this much of a power, if a person can read and type that. */
export const grantCommand = (name: string, power: string, json: string): string | undefined =>
  json === "" || json.length > MAX_GRANT ? undefined : commandAbout("grant", name, power, shellQuoted(json));

/** The command that grants a hook again what it lost. */
export const grantAgain = (name: string, { power, granted }: StalePower): string | undefined =>
  grantCommand(name, power, granted) ?? commandAbout("grant", name, power);
