/** One program with its arguments, as the shell starts it. */
export type SimpleCommand = {
  /** The program, from `programName`. Empty if there are only redirections. */
  name: string;
  /** The expanded arguments, with the placeholders of `marks.ts` for unknown text. */
  args: readonly string[];
  /** The variables that are set only for this program, as `NAME=value`. */
  environment: readonly string[];
  /** The working folder. Empty if it is not known. */
  folder: string;
  /** Whether a redirection connects it to the network. */
  connected: boolean;
  /** The input, or undefined if nothing is piped into it. */
  stdin: string | undefined;
  /** The names of the programs that the output is piped to, and the words of their arguments. */
  pipedTo: readonly string[];
};

/** A command that another command runs: words of a program call, or text for a shell. */
export type Launched =
  | { words: readonly string[]; environment?: readonly string[]; stdin?: string | undefined }
  | { code: string; parameters?: readonly string[] };
