import type { Launched, SimpleCommand } from "../shell/simple-command.ts";

/** The content of a file that an earlier part of the command wrote, or undefined. */
export type Reads = (path: string) => string | undefined;

/** What the guard knows about a program. */
export type Program = {
  /** The reason, for the agent, why the command itself is dangerous, or undefined if it is not. */
  danger?(command: SimpleCommand): string | undefined;
  /** The other commands that the command runs. */
  starts?(command: SimpleCommand, reads: Reads): Launched[];
  /** The output of the command, or undefined if there is no special rule. */
  writes?(command: SimpleCommand, reads: Reads): string | undefined;
  /** The files that the command writes, with their content. */
  leaves?(command: SimpleCommand): [path: string, text: string][];
};

/** The type of one property of a {@link Program}. */
export type Rule<Name extends keyof Program> = NonNullable<Program[Name]>;
