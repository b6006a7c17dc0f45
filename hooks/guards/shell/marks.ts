/**
 * Stand-ins, inside a word as the shell would expand it, for what only the shell that runs it can know. They are of
 * Unicode's private use area; `withoutMarks` takes them out of a command before it is read, so that none is forged.
 */
export const UNKNOWN = "\uE000";
/** Text that comes from elsewhere, or that is decoded, while the command runs: nobody has read it. */
export const FOREIGN = "\uE001";
/** The home folder. */
export const HOME = "\uE002";
/** A `*` that the shell expands. */
export const STAR = "\uE003";
/** A `?` or a `[...]` that the shell expands. */
export const ONE = "\uE004";
/** Where the shell splits a word in two. */
export const SPLIT = "\uE005";

export function withoutMarks(command: string): string {
  return command.replace(/[\uE000-\uE005]/g, "\uFFFD");
}

/** Thrown at the first danger, which ends the look at the command. */
export class Danger {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export function refuse(reason: string | undefined): void {
  if (reason) throw new Danger(reason);
}

/**
 * Counts the work of looking at one command, in characters: a short command may unfold to any amount of text, by braces,
 * by loops, by a variable that doubles itself. What unfolds further than `most` is refused, not let through unseen.
 */
export class Meter {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new Danger("a command that unfolds to more than can be looked at");
  }
}
