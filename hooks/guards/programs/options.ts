/** The arguments of a program, sorted as getopt does. */
export type Options = {
  /** The letters and long names given, without dashes. */
  flags: string[];
  /** The values of options that have one. */
  values: Map<string, string>;
  operands: string[];
};

/**
 * Sorts `args`: `-rf` is `r` and `f`, `--name=value` has a value, `--` ends the options. `valued` lists, separated by
 * spaces, the letters and names whose value is the next argument. With `untilOperand`, everything after the first
 * operand is an operand, too, as for a program that runs another.
 */
export function sortOptions(args: readonly string[], valued = "", untilOperand = false): Options {
  const takesValue = new Set(valued.split(" "));
  const sorted: Options = { flags: [], values: new Map(), operands: [] };
  const note = (flag: string, value?: string): void => {
    sorted.flags.push(flag);
    if (value !== undefined) sorted.values.set(flag, value);
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      sorted.operands.push(...args.slice(at + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      if (equals > 0) note(arg.slice(2, equals), arg.slice(equals + 1));
      else if (takesValue.has(arg.slice(2))) note(arg.slice(2), args[++at] ?? "");
      else note(arg.slice(2));
    } else if (arg.length > 1 && arg.startsWith("-")) {
      for (let letter = 1; letter < arg.length; letter++) {
        const flag = arg.charAt(letter);
        if (!takesValue.has(flag)) note(flag);
        else {
          note(flag, letter + 1 < arg.length ? arg.slice(letter + 1) : (args[++at] ?? ""));
          break;
        }
      }
    } else if (untilOperand) {
      sorted.operands.push(...args.slice(at));
      break;
    } else sorted.operands.push(arg);
  }
  return sorted;
}

/**
 * Whether `options` has one of the letters in `short`, or the long name, or a prefix of it of at least three letters.
 */
export function has(options: Options, short: string, long = ""): boolean {
  return options.flags.some((flag) =>
    flag.length === 1 ? short.includes(flag) : flag.length > 2 && long !== "" && long.startsWith(flag),
  );
}

/** The values of the given options in `names`, a list separated by spaces. */
export const valuesOf = ({ values }: Options, names: string): string[] =>
  names.split(" ").flatMap((name) => values.get(name) ?? []);
