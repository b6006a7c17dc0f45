import { FOREIGN, UNKNOWN } from "../shell/marks.ts";
import { baseName, isNetwork, resolvePath } from "../shell/paths.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { foundBy } from "./launchers.ts";
import { has, sortOptions } from "./options.ts";

const FETCHES =
  /^(curl|wget2?|fetch|https?|xh|aria2c|lynx|w3m|links|elinks|nc|ncat|netcat|socat|telnet|t?ftp|dig|host|nslookup|drill)$/;
const DECODES = /^(base64|base32|basenc|gbase64|openssl|xxd|uudecode|rev|tr|rot13|ascii85|unhex)$/;
const PASSES_ON = /^(cat|tee|head|tail|sort|uniq|less|more|pv|sponge|column|dos2unix|grep|egrep|fgrep|tac|bat|stdbuf)$/;

/** What a command writes, as far as that is known: `echo`'s words, `FOREIGN` for a download, else `UNKNOWN`. */
export function writtenBy(command: SimpleCommand, reads: (path: string) => string | undefined): string {
  const { name, args, folder, stdin } = command;
  const last = args[args.length - 1] ?? "";
  switch (name) {
    case "echo":
      return `${ofEcho(args)}\n`;
    case "printf":
      return ofPrintf(sortOptions(args, "v", true).operands);
    case "pwd":
      return folder || ".";
    case "find":
      return foundBy(args).join("\n");
    case "realpath":
    case "readlink":
      return resolvePath(last, folder);
    case "dirname":
      return resolvePath(`${last}/..`, folder);
    case "basename":
      return baseName(last);
    case "true":
    case ":":
    case "cd":
    case "set":
    case "exit":
      return "";
  }
  if (FETCHES.test(name)) return FOREIGN;
  if (DECODES.test(name) && decodes(name, args, stdin)) return FOREIGN;
  const { operands } = sortOptions(args, "n c e f");
  if (PASSES_ON.test(name)) {
    const files = name === "tee" ? [] : operands.slice(/grep$/.test(name) ? 1 : 0);
    const texts = files.map((file) => (file === "-" ? stdin : isNetwork(file) ? FOREIGN : reads(file)) ?? UNKNOWN);
    return texts.length > 0 ? texts.join("\n") : (stdin ?? UNKNOWN);
  }
  // Whatever else reads foreign text may pass it on, changed or not.
  return stdin?.includes(FOREIGN) || operands.some((file) => reads(file)?.includes(FOREIGN)) ? FOREIGN : UNKNOWN;
}

/** The file that a download or `tee` leaves, with what is in it. */
export function leftBy(command: SimpleCommand): [path: string, text: string][] {
  const { name, args, stdin } = command;
  if (name === "tee") return sortOptions(args).operands.map((file) => [file, stdin ?? UNKNOWN]);
  if (name !== "curl" && name !== "wget" && name !== "aria2c") return [];
  const letters = name === "curl" ? "o A b c C d e F H K m T u U w x X X output" : "O o P U t T output-document out";
  const { values, operands, flags } = sortOptions(args, letters);
  const to =
    values.get("output") ??
    values.get("out") ??
    values.get("output-document") ??
    values.get(name === "curl" ? "o" : "O");
  if (to !== undefined) return [[to, FOREIGN]];
  if (name === "curl" && !flags.some((flag) => flag === "O" || flag.startsWith("remote-name"))) return [];
  return operands.map((address) => [baseName(address.replace(/[?#].*/s, "")), FOREIGN]);
}

/** Whether what comes out is not what went in, so that what a shell would make of it cannot be judged. */
function decodes(name: string, args: readonly string[], stdin: string | undefined): boolean {
  const options = sortOptions(args);
  switch (name) {
    case "base64":
    case "base32":
    case "basenc":
    case "gbase64":
      return has(options, "dD", "decode");
    case "openssl":
      return args.some((arg) => arg === "-d" || arg === "-decode");
    case "xxd":
      return has(options, "r", "revert");
    case "rev":
    case "tr":
      // Words spelt out in the command itself and then turned round are a disguise.
      return stdin !== undefined && stdin !== UNKNOWN;
    default:
      return true;
  }
}

function ofEcho(args: readonly string[]): string {
  let from = 0;
  let escapes = false;
  while (/^-[neE]+$/.test(args[from] ?? "")) escapes = /e/.test(args[from++] ?? "") || escapes;
  const text = args.slice(from).join(" ");
  return escapes ? unescaped(text) : text;
}

function ofPrintf([format = "", ...args]: readonly string[]): string {
  const left = [...args];
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
}

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
