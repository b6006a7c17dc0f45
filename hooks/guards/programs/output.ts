import { FOREIGN, UNKNOWN } from "../shell/marks.ts";
import { baseName, isNetwork } from "../shell/paths.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { sortOptions, valuesOf } from "./options.ts";
import type { Reads, Rule } from "./program.ts";

type Writes = Rule<"writes">;

const filesOf = (args: readonly string[]): string[] => sortOptions(args, "n c e f").operands;

/** Outputs the content of its operands from number `from` on, or its input if there are none. */
export const passesOn = (from: number): Writes => {
  return ({ args, stdin }, reads) => {
    const files = filesOf(args).slice(from);
    const texts = files.map((file) => (file === "-" ? stdin : isNetwork(file) ? FOREIGN : reads(file)) ?? UNKNOWN);
    return texts.length > 0 ? texts.join("\n") : (stdin ?? UNKNOWN);
  };
};

/** Any other program that reads foreign text may output it, changed or unchanged. */
export const writesAnything = ({ args, stdin }: SimpleCommand, reads: Reads): string =>
  stdin?.includes(FOREIGN) || filesOf(args).some((file) => reads(file)?.includes(FOREIGN)) ? FOREIGN : UNKNOWN;

/**
 * A download, into the file that an option names, or into a file with the last part of the address as its name.
 *
 * @param needs the option that is necessary for the latter, if any
 */
export function saves(valued: string, letter: string, needs?: RegExp): Rule<"leaves"> {
  return ({ args }) => {
    const options = sortOptions(args, valued);
    const [file] = valuesOf(options, `output out output-document ${letter}`);
    if (file !== undefined) return [[file, FOREIGN]];
    if (needs && !options.flags.some((flag) => needs.test(flag))) return [];
    return options.operands.map((address) => [baseName(address.replace(/[?#].*/s, "")), FOREIGN]);
  };
}

export const echoed: Writes = ({ args }) => {
  let from = 0;
  let escapes = false;
  while (/^-[neE]+$/.test(args[from] ?? "")) escapes = /e/.test(args[from++] ?? "") || escapes;
  const text = args.slice(from).join(" ");
  return `${escapes ? unescaped(text) : text}\n`;
};

export const printed: Writes = ({ args }) => {
  const [format = "", ...left] = sortOptions(args, "v", true).operands;
  let text = "";
  do {
    const before = left.length;
    text += unescaped(format).replace(/%(?:%|[-+ #0-9.*]*([a-zA-Z]))/g, (whole, kind) => {
      if (whole === "%%") return "%";
      const value = left.shift() ?? "";
      return kind === "b" ? unescaped(value) : value;
    });
    if (left.length === before) break;
  } while (left.length > 0);
  return text;
};

const LETTERS: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", e: "\x1b", a: "\x07", b: "\b" };

/** `\x2f`, `\057`, `\u002f` and `\n` as `echo -e` and `printf` read them. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([\da-f]{1,2})|0?([0-7]{1,3})|u([\da-f]{1,4})|(.))/gis,
    (whole, hex, octal, unicode, letter: string | undefined) => {
      if (letter !== undefined) return LETTERS[letter] ?? whole;
      return String.fromCharCode(octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? unicode, 16));
    },
  );
}
