/**
 * Placeholders inside expanded words, for text that only the real shell can know. They are from Unicode's private use
 * area. `withoutMarks` removes them from a command before it is parsed, so that a command cannot forge them.
 */
export const UNKNOWN = "\uE000";
/** Text that is downloaded or decoded while the command runs: nobody has read it. */
export const FOREIGN = "\uE001";
/** The home folder. */
export const HOME = "\uE002";
/** A `*` that the shell expands. */
export const STAR = "\uE003";
/** A `?` or a `[...]` that the shell expands. */
export const ONE = "\uE004";
/** The position where the shell splits a word. */
export const SPLIT = "\uE005";

export function withoutMarks(command: string): string {
  return command.replace(/[\uE000-\uE005]/g, "\uFFFD");
}

/** Thrown at the first danger. It ends the check of the command. */
export class Danger {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export function refuse(reason: string | undefined): void {
  if (reason) throw new Danger(reason);
}
