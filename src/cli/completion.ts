import { resolve } from "node:path";
import type { Command, Option } from "commander";
import { attemptOr } from "../base/attempt.ts";
import { defaultHome } from "../disk/home.ts";
import { UsageError } from "./common.ts";
import { hooksHere } from "./here.ts";
import { shortName } from "./names.ts";

/** Asks this program what may follow: a shell's script knows nothing by itself. `--` ends Cordon's own flags. */
const SCRIPTS = {
  bash: `_cordon() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(cordon complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cordon cordon
`,
  zsh: `#compdef cordon
_cordon() {
  local -a found
  found=("\${(@f)$(cordon complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
if [[ "\${funcstack[1]}" == "_cordon" ]]; then _cordon "$@"; else compdef _cordon cordon; fi
`,
  fish: `complete -c cordon -a '(cordon complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
} as const;

/** `cordon completion SHELL`: prints what the shell runs when it starts. */
export function completion(shell: string): void {
  if (!Object.hasOwn(SCRIPTS, shell))
    throw new UsageError(`no shell ${shell}; there are ${Object.keys(SCRIPTS).join(", ")}`);
  process.stdout.write(SCRIPTS[shell as keyof typeof SCRIPTS]);
}

/** Prints what may follow words of a command line, one a line. The last word is the one that is being typed. */
export function complete(program: Command, words: readonly string[]): void {
  for (const one of following(program, words)) process.stdout.write(`${one}\n`);
}

function following(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? "";
  let command = program;
  let given = 0;
  let open: Option | undefined;
  for (const word of words.slice(0, -1)) {
    const sub = given === 0 && !open ? command.commands.find((one) => one.name() === word) : undefined;
    if (sub) command = sub;
    else if (open) open = undefined;
    else if (word.startsWith("-")) {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      open = option && (option.required || option.optional) ? option : undefined;
    } else given++;
  }
  if (open) return [];
  const flags = () => command.options.filter(({ hidden }) => !hidden).map(({ long, short }) => long ?? short ?? "");
  const visible = command.createHelp().visibleCommands(command);
  // One is commander's own: `help`.
  const names = visible.filter((one) => command.commands.includes(one)).map((one) => one.name());
  const all = typed.startsWith("-") ? [...flags(), "--help"] : names.length > 0 ? names : valuesFor(command, given);
  return [...new Set(all)].filter((one) => one.startsWith(typed)).sort();
}

/** Names that an argument may have: short names of hooks. Other values are files, which the shell knows. */
function valuesFor(command: Command, at: number): string[] {
  const argument = command.registeredArguments[at];
  if (argument?.argChoices) return [...argument.argChoices];
  if (argument?.name() !== "id") return [];
  return attemptOr(() => {
    const here = hooksHere(resolve("."), defaultHome());
    // A name is a word of the shell's command line: nothing else is offered.
    return here.map((hook) => shortName(hook, here)).filter((name) => /^[\w@.+/#-]+$/.test(name));
  }, []);
}
