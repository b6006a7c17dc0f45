import { STAR, UNKNOWN } from "../shell/marks.ts";
import { hasGlob } from "../shell/paths.ts";
import { has, sortOptions } from "./options.ts";
import type { Rule } from "./program.ts";

type Starts = Rule<"starts">;

/**
 * The operands from number `from` on are a program with its arguments. `valued` is as for `sortOptions`, so that the
 * program of `sudo -u bob rm` is `rm`.
 */
export function words(valued = "", from = 0): Starts {
  return ({ args, stdin }) => {
    const { operands } = sortOptions(args, valued, true);
    const first = operands.findIndex((word) => !/^\w+=/.test(word));
    const environment = operands.slice(0, Math.max(first, 0));
    return [{ words: first < 0 ? [] : operands.slice(first + from), environment, stdin }];
  };
}

/** The values of `options`, and all operands from number `from` on, are texts for a shell. */
export function texts(valued: string, options: string, from?: number): Starts {
  return ({ args }) => {
    const { values, operands } = sortOptions(args, valued, from !== undefined);
    const codes = options.split(" ").map((option) => values.get(option) ?? "");
    return [...codes, from === undefined ? "" : operands.slice(from).join(" ")].map((code) => ({ code }));
  };
}

/** `xargs` appends the words that it reads, or replaces a text with them. */
export const xargs: Starts = ({ args, stdin = "" }) => {
  const options = sortOptions(args, "I J R n P L d a E s max-args max-procs max-lines delimiter arg-file", true);
  const read = stdin.split(/[\s\0]+/).filter((word) => word !== "");
  const mark = options.values.get("I") ?? options.values.get("J") ?? options.values.get("replace") ?? "{}";
  const replaces = has(options, "IJi", "replace");
  if (!replaces) return [{ words: [...options.operands, ...read], stdin: "" }];
  return [{ words: options.operands.map((word) => word.replaceAll(mark, () => read.join(" "))), stdin: "" }];
};

/** `git -c alias.x='!rm -rf /' x` and `-c alias.x='commit --no-verify'`. */
export const gitAliases: Starts = ({ args }) =>
  args.flatMap((arg) => {
    const inPart = /^alias\.[^=]*=(.*)$/s.exec(arg)?.[1];
    const alias = inPart ?? (/^alias\./.test(arg) ? args[args.indexOf(arg) + 1] : undefined);
    if (alias === undefined) return [];
    return { code: alias.startsWith("!") ? alias.slice(1) : `git ${alias}` };
  });

/** Tests that exclude most files. */
const NARROWS =
  /^-(i?name|i?path|i?wholename|i?regex|[acm](time|min)|newer\w*|size|empty|user|group|uid|gid|perm|inum|links|samefile|i?lname)$/;

/**
 * The paths that `find` visits: each starting point with everything below it. If a test excludes most files, it is
 * something unknown below it. At the root folder, tests make no difference.
 */
export function foundBy(args: readonly string[]): string[] {
  const first = args.findIndex((arg, index) => /^[-(!]/.test(arg) && !(index < 3 && /^-[HLPXE]$/.test(arg)));
  const roots = (first < 0 ? args : args.slice(0, first)).filter((arg) => !arg.startsWith("-"));
  const narrow = args.some((arg, index) => {
    const value = args[index + 1] ?? "";
    if (args[index - 1] === "!" || args[index - 1] === "-not") return false;
    if (arg === "-type") return !/[fd]/.test(value);
    return NARROWS.test(arg) && !/^\*+$/.test(value);
  });
  return (roots.length > 0 ? roots : ["."]).map((root) => {
    const below = root.replace(/\/+$/, "");
    return `${below}/${narrow && !/^(\/+\.?)*$/.test(root) && !hasGlob(root) ? UNKNOWN : STAR}`;
  });
}

/** `-delete` is checked as an `rm` with the same effect. */
export const find: Starts = ({ args }) => {
  const found = foundBy(args);
  const launched: ReturnType<Starts> = args.includes("-delete") ? [{ words: ["rm", "-rf", ...found] }] : [];
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at] ?? "")) continue;
    const end = args.findIndex((arg, index) => index > at && (arg === ";" || arg === "+"));
    const words = args.slice(at + 1, end < 0 ? args.length : end);
    for (const path of found) launched.push({ words: words.map((word) => word.replaceAll("{}", () => path)) });
    at = end < 0 ? args.length : end;
  }
  return launched;
};
