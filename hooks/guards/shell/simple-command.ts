/** One program with its arguments, as the shell would start it. */
export type SimpleCommand = {
  /** The program, as `programName` gives it; "" for redirections alone. */
  name: string;
  /** Its arguments as they expand, with the stand-ins of `marks.ts` for what is not known. */
  args: readonly string[];
  /** The variables set for it alone, as `NAME=value`. */
  environment: readonly string[];
  /** The folder it runs in, "" if that is not known. */
  folder: string;
  /** Whether a redirection connects it to the network. */
  connected: boolean;
  /** What it can read, or undefined where nothing is piped into it. */
  stdin: string | undefined;
  /** The names of the programs that its output is piped to, and the words of their arguments. */
  pipedTo: readonly string[];
};

/** What a command that runs others runs: words to be started as they stand, or text to be read by a shell. */
export type Launched =
  | { words: readonly string[]; environment?: readonly string[]; stdin?: string | undefined }
  | { code: string; parameters?: readonly string[] };
