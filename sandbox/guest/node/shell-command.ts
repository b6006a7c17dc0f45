/** What a shell reads in a command: words of plain characters and quoted ones, and nothing that it would expand or join. */
const WORD = /^(?:[\w@%+=:,./^-]|'[^']*'|"[^"$`\\!]*"|\\[^\n])+/;

/**
 * The program and arguments of a command for a shell. A plain one needs no shell, and so no grant of one; any other is
 * `sh -c` with the whole text.
 */
export function programOf(command: string): [program: string, ...args: string[]] {
  const words: string[] = [];
  let rest = command.trim();
  while (rest !== "") {
    const word = WORD.exec(rest)?.[0];
    if (word === undefined || (word.length < rest.length && !/^\s/.test(rest.slice(word.length))))
      return ["sh", "-c", command];
    words.push(
      word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_all, single, double, escaped) => single ?? double ?? escaped),
    );
    rest = rest.slice(word.length).replace(/^[ \t]+/, "");
  }
  const [program, ...args] = words;
  // A variable that is set for the command, or a word that only a shell knows.
  const isOther = program === undefined || program.includes("=") || OF_SHELLS.has(program);
  // A shell's own echo reads backslashes.
  if (isOther || (program === "echo" && args.some((arg) => arg.includes("\\")))) return ["sh", "-c", command];
  return [program, ...args];
}

const OF_SHELLS: ReadonlySet<string> = new Set(
  ". : [ alias bg break case cd command continue eval exec exit export fg for function getopts hash if jobs let local read readonly return set shift source test then time times trap type typeset ulimit umask unalias unset until wait while".split(
    " ",
  ),
);
