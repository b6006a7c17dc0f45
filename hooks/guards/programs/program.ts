import type { Launched, SimpleCommand } from "../shell/simple-command.ts";

/** What is in a file that an earlier part of the command has filled, or undefined. */
export type Reads = (path: string) => string | undefined;

/** What the guard knows of a program. */
export type Program = {
  /** Why the command is dangerous by itself, in words for the agent, or undefined if it is not. */
  danger?(command: SimpleCommand): string | undefined;
  /** All that the command runs besides itself. */
  starts?(command: SimpleCommand, reads: Reads): Launched[];
  /** What it writes, or undefined if that is as with any other program. */
  writes?(command: SimpleCommand, reads: Reads): string | undefined;
  /** The files that it leaves, with what is in them. */
  leaves?(command: SimpleCommand): [path: string, text: string][];
};

/** What one property of a {@link Program} is, by its name. */
export type Rule<Name extends keyof Program> = NonNullable<Program[Name]>;
