import { Danger, FOREIGN } from "../shell/marks.ts";
import type { Launched } from "../shell/simple-command.ts";
import type { Rule } from "./program.ts";

type Starts = Rule<"starts">;

/** How an interpreter gets its program. */
type Interpreter = {
  /** The option letters whose value is the program. */
  code: string;
  /** `valued`: letters whose value is the rest of the word, or the next word. `attached`: only the rest of the word. */
  valued?: string;
  attached?: string;
  /** The letter for a module. A module reads the input itself. */
  module?: string;
  isShell?: boolean;
};

export const SHELL: Interpreter = { code: "c", valued: "oO", isShell: true };

const LONG_CODE = /^--?(eval|print|run|command|execute|commands)$/i;
const LONG_VALUED = /^--(require|import|loader|conditions|rcfile|init-file|env-file|title|inspect-port)$/;
const STDIN = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/(self|\$\$)\/fd\/0)$/;
const NETWORK_PIPES = /^(nc|ncat|netcat|socat|telnet)$/;

/** The program is in an option, in a file, or in the input. */
export function interprets(how: Interpreter): Starts {
  const isShell = how.isShell === true;
  return ({ name, args, stdin, pipedTo }, reads) => {
    const { code, file, rest } = sortArguments(how, args);
    if (code !== undefined) return isShell ? [{ code, parameters: rest }] : ofCode(code);
    if (file !== undefined && !STDIN.test(file)) return ofProgram(reads(file), isShell, [file, ...rest]);
    // The other end of a connection can only control a shell that reads its commands.
    if (isShell && stdin !== undefined && pipedTo.some((it) => NETWORK_PIPES.test(it)))
      throw new Danger("a shell whose output goes to the network");
    return ofProgram(stdin, isShell, [file ?? name, ...rest]);
  };
}

export const sources: Starts = ({ args, stdin }, reads) => {
  const file = args[0] ?? "";
  return ofProgram(STDIN.test(file) ? stdin : reads(file), true, args);
};

/** Finds the program in an interpreter's arguments: an option or a file. With neither, it is in the input. */
function sortArguments(
  { code, valued, attached: extra, module, isShell }: Interpreter,
  args: readonly string[],
): { code?: string; file?: string; rest: readonly string[] } {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const next = args[at + 1] ?? "";
    if (arg === "-" || arg === "--" || !/^[-+]/.test(arg)) {
      const from = arg === "--" ? at + 1 : at;
      if (/^(run|eval|repl)$/.test(arg)) {
        if (arg === "eval") return { code: next, rest: [] };
        continue;
      }
      return { file: args[from] as string, rest: args.slice(from + 1) };
    }
    if (LONG_CODE.test(arg)) return { code: next, rest: args.slice(at + 2) };
    const long = /^--?(?:eval|print|command)=(.*)$/s.exec(arg)?.[1];
    if (long !== undefined) return { code: long, rest: args.slice(at + 1) };
    if (LONG_VALUED.test(arg)) at++;
    if (arg.startsWith("--")) continue;
    for (let letter = 1; letter < arg.length; letter++) {
      const flag = arg.charAt(letter);
      const attached = arg.slice(letter + 1);
      if (code.includes(flag)) {
        // In a shell, more letters may follow `c`. In others, the rest of the word is the program.
        if (!isShell && [...attached].some((it) => !code.includes(it)))
          return { code: attached, rest: args.slice(at + 1) };
        const from = args.findIndex((it, index) => index > at && !(isShell && /^[-+]/.test(it)));
        return from < 0 ? { rest: [] } : { code: args[from] ?? "", rest: args.slice(from + 1) };
      }
      if (isShell && flag === "s") return { file: "-", rest: args.slice(at + 1) };
      if (flag === module) return { file: `module ${next}`, rest: args.slice(at + 2) };
      if (valued?.includes(flag) && attached === "") at++;
      if (valued?.includes(flag) || extra?.includes(flag)) break;
    }
  }
  return { rest: [] };
}

/** A complete program, from a file or a pipe. */
export function ofProgram(text: string | undefined, isShell: boolean, parameters: readonly string[]): Launched[] {
  if (text === undefined) return [];
  if (text.includes(FOREIGN)) throw new Danger("runs text that it downloads or decodes");
  const other = /^#!.*\b(python|perl|ruby|node|php)/.test(text);
  if (isShell && !other) return [{ code: text, parameters }];
  return ofCode(text);
}

const LOOPS_OF_FORKS = [
  /\bfork\b[\s();]*(while|for|until)\b/,
  /\b(while|until)\b[\s(]*(1|true)\b[\s):{;]*(\bdo\b)?\s*[{]?\s*(os\.)?fork\b/i,
  /\bfork\b[^;\n]{0,20}\bwhile\s*\(?\s*1/,
];
const SHELL_NAME = /["'`](\/(usr\/)?bin\/)?(ba|z|da|k)?sh["'`]|\/bin\/(ba|z|da|k)?sh\b|cmd\.exe|\bpty\.spawn\b/;
const REMOVES =
  /\b(rmtree|rmSync|rm_rf|rm_r|removeSync|remove_tree|rimraf|rmdirSync|emptyDirSync|remove_entry_secure|unlinkSync)\b\s*\(?\s*["']([^"']{1,200})["']/g;
const RUNS =
  /\b(system|popen\w*|run|call|check_call|check_output|Popen|exec\w*|spawn\w*|shell_exec|passthru|proc_open|getoutput|getstatusoutput|script)\b\s*[({[]?/g;
/** The strings at the start of a call's arguments, also in a list. `TEXT` matches one of them. */
const TEXTS = /^(?:[\s,[(]*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))+/s;
const TEXT = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/gs;
const BACKTICKS = /`([^`]{1,2000})`|\bqx\s*[({]([^)}]{1,2000})/g;

/** Most characters of a call's arguments that are searched for strings. */
const MAX_ARGUMENTS = 2000;
/** Most calls that are checked. */
const MAX_CALLS = 100;

/** Checks a program of another language for the dangers that its text shows, and finds the commands that it runs. */
function ofCode(code: string): Launched[] {
  if (code.includes(FOREIGN)) throw new Danger("runs text that it downloads or decodes");
  if (LOOPS_OF_FORKS.some((loop) => loop.test(code))) throw new Danger("a fork bomb");
  const connects = /\bsocket\b|\bfsockopen\b|\bTCPSocket\b|\bnet\.(connect|Socket|createConnection)|IO::Socket/i.test(
    code,
  );
  if (connects && SHELL_NAME.test(code)) throw new Danger("a shell on a network connection");
  return shellTextsOf(code);
}

/** The shell commands that a program in another language runs, if they are strings in its code. */
export function shellTextsOf(code: string): Launched[] {
  const launched: Launched[] = [];
  for (const [, , path] of code.matchAll(REMOVES)) launched.push({ words: ["rm", "-rf", path ?? ""] });
  for (const call of code.matchAll(RUNS)) {
    if (launched.length > MAX_CALLS) break;
    const from = call.index + call[0].length;
    const texts = TEXTS.exec(code.slice(from, from + MAX_ARGUMENTS))?.[0] ?? "";
    const words = [...texts.matchAll(TEXT)].map(([, double, single]) => double ?? single ?? "");
    launched.push({ code: words.join(" ") });
  }
  for (const [, text, quoted] of code.matchAll(BACKTICKS)) {
    if (launched.length > MAX_CALLS) break;
    launched.push({ code: text ?? quoted ?? "" });
  }
  return launched;
}
