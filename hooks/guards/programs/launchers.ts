import { STAR, UNKNOWN } from "../shell/marks.ts";
import { hasGlob } from "../shell/paths.ts";
import type { Launched, SimpleCommand } from "../shell/simple-command.ts";
import { interpretedBy, ofProgram } from "./interpreters.ts";
import { has, sortOptions } from "./options.ts";

/**
 * Programs that run the program their arguments name. `valued` as for `sortOptions`, so that `sudo -u bob rm` is seen to
 * run `rm`; `operands` how many arguments come before the program's name.
 */
type Wrapper = { valued?: string; operands?: number };

const WRAPPERS: Record<string, Wrapper> = {
  sudo: { valued: "u g h p C D R r t T U user group host prompt close-from chdir chroot role type other-user" },
  doas: { valued: "u C" },
  pkexec: { valued: "user" },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  setpriv: {},
  env: { valued: "u C unset chdir" },
  nice: { valued: "n adjustment" },
  ionice: { valued: "c n p P u class classdata" },
  chrt: { operands: 1 },
  taskset: { operands: 1 },
  cpulimit: { valued: "l p e" },
  timeout: { valued: "k s kill-after signal", operands: 1 },
  gtimeout: { valued: "k s kill-after signal", operands: 1 },
  nohup: {},
  time: { valued: "f o format output" },
  gtime: { valued: "f o format output" },
  command: {},
  builtin: {},
  exec: { valued: "a" },
  noglob: {},
  nocorrect: {},
  repeat: { operands: 1 },
  setsid: {},
  stdbuf: { valued: "i o e input output error" },
  unbuffer: {},
  chronic: {},
  strace: { valued: "a b e E I o O p P s S u X trace output" },
  ltrace: { valued: "a A e l n o p s u" },
  unshare: { valued: "S G R w" },
  nsenter: { valued: "t S G" },
  chroot: { operands: 1 },
  flock: { valued: "w E timeout", operands: 1 },
  busybox: {},
  toybox: {},
  caffeinate: { valued: "t w" },
  fakeroot: {},
  firejail: {},
  proxychains: { valued: "f" },
  proxychains4: { valued: "f" },
  torsocks: {},
  tsocks: {},
  "systemd-run": { valued: "p u property unit" },
  "xvfb-run": { valued: "n s e f" },
  rlwrap: {},
  arch: {},
  entr: {},
  parallel: { valued: "j P S I jobs" },
  screen: { valued: "S c e h p s t T" },
};

/** Programs that hand a text to a shell: the options that hold it, or after how many operands it comes. */
const CODE_TAKERS: Record<string, { valued: string; options: string; operands?: number }> = {
  eval: { valued: "", options: "", operands: 0 },
  watch: { valued: "n interval", options: "", operands: 0 },
  ssh: { valued: "b c D E e F I i J L l m O o p Q R S W w B", options: "", operands: 1 },
  su: { valued: "c s g command shell group", options: "c command" },
  runuser: { valued: "c u s g command shell group", options: "c command" },
  sg: { valued: "c", options: "c", operands: 1 },
  script: { valued: "c command", options: "c command" },
  flock: { valued: "c w E command", options: "c command" },
  env: { valued: "S u C split-string unset chdir", options: "S split-string" },
  parallel: { valued: "j P S I jobs", options: "", operands: 0 },
  nu: { valued: "c commands", options: "c commands" },
};

export const LAUNCHER_NAMES: readonly string[] = [
  ...Object.keys(WRAPPERS),
  ...Object.keys(CODE_TAKERS),
  "xargs",
  "find",
];

/** All that a command runs besides itself. `reads` gives what is in a file that an earlier command has filled. */
export function startedBy(
  command: SimpleCommand,
  word: string,
  reads: (path: string) => string | undefined,
): Launched[] {
  const own = word.includes("/") ? ofProgram(reads(word), true, [word, ...command.args]) : [];
  return [...launchedBy(command), ...interpretedBy(command, reads), ...own];
}

function launchedBy(command: SimpleCommand): Launched[] {
  const launched: Launched[] = [];
  const { name, args } = command;
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper && !(name === "command" && args.some((arg) => /^-\w*[vV]/.test(arg))))
    launched.push({ ...wrapped(wrapper, args), stdin: command.stdin });
  const taker = Object.hasOwn(CODE_TAKERS, name) ? CODE_TAKERS[name] : undefined;
  if (taker) {
    const { values, operands } = sortOptions(args, taker.valued, taker.operands !== undefined);
    for (const option of taker.options.split(" ")) launched.push({ code: values.get(option) ?? "" });
    if (taker.operands !== undefined) launched.push({ code: operands.slice(taker.operands).join(" ") });
  }
  if (name === "xargs") launched.push(ofXargs(command));
  if (name === "find" || name === "gfind") launched.push(...ofFind(args));
  if (name === "tmux") for (const arg of args) if (/\s/.test(arg)) launched.push({ code: arg });
  // The first argument of `trap` and each value of `alias` is code for later.
  if (name === "trap") launched.push({ code: sortOptions(args).operands[0] ?? "" });
  if (name === "alias") for (const arg of args) launched.push({ code: arg.slice(arg.indexOf("=") + 1) });
  if (name === "git") for (const arg of args) launched.push(...ofAlias(arg, args));
  return launched;
}

function wrapped(wrapper: Wrapper, args: readonly string[]): { words: string[]; environment: string[] } {
  const { operands } = sortOptions(args, wrapper.valued, true);
  const from = operands.findIndex((word) => !/^\w+=/.test(word));
  const words = from < 0 ? [] : operands.slice(from + (wrapper.operands ?? 0));
  return { words, environment: operands.slice(0, Math.max(from, 0)) };
}

/** `xargs` adds the words it reads, or puts them in place of a text. */
function ofXargs({ args, stdin = "" }: SimpleCommand): Launched {
  const options = sortOptions(args, "I J R n P L d a E s max-args max-procs max-lines delimiter arg-file", true);
  const read = stdin.split(/[\s\0]+/).filter((word) => word !== "");
  const mark = options.values.get("I") ?? options.values.get("J") ?? options.values.get("replace") ?? "{}";
  const replaces = has(options, "IJi", "replace");
  if (!replaces) return { words: [...options.operands, ...read], stdin: "" };
  return { words: options.operands.map((word) => word.replaceAll(mark, () => read.join(" "))), stdin: "" };
}

/** `git -c alias.x='!rm -rf /' x` and `-c alias.x='commit --no-verify'`. */
function ofAlias(arg: string, args: readonly string[]): Launched[] {
  const alias =
    /^alias\.[^=]*=(.*)$/s.exec(arg)?.[1] ?? (/^alias\./.test(arg) ? args[args.indexOf(arg) + 1] : undefined);
  if (alias === undefined) return [];
  return [{ code: alias.startsWith("!") ? alias.slice(1) : `git ${alias}` }];
}

/** Tests that leave most of the files out. */
const NARROWS =
  /^-(i?name|i?path|i?wholename|i?regex|[acm](time|min)|newer\w*|size|empty|user|group|uid|gid|perm|inum|links|samefile|i?lname)$/;

/**
 * The paths that `find` comes to: each of its starting points with all below, or with something unknown below if a test
 * leaves most of it out. A test never makes up for starting at the root folder.
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

/** `-delete` is looked at as the `rm` that does the same. */
function ofFind(args: readonly string[]): Launched[] {
  const found = foundBy(args);
  const launched: Launched[] = args.includes("-delete") ? [{ words: ["rm", "-rf", ...found] }] : [];
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at] ?? "")) continue;
    const end = args.findIndex((arg, index) => index > at && (arg === ";" || arg === "+"));
    const words = args.slice(at + 1, end < 0 ? args.length : end);
    for (const path of found) launched.push({ words: words.map((word) => word.replaceAll("{}", () => path)) });
    at = end < 0 ? args.length : end;
  }
  return launched;
}
