import type { Assignment, CommandArgument, ParsedScript } from "unbash";
import { Danger, FOREIGN, HOME, UNKNOWN } from "./marks.ts";
import { hasGlob, resolvePath } from "./paths.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { expandText, expandWord, type ShellView } from "./words.ts";

/** Most characters that a command, and all that it starts, may expand to. */
const MAX_WORK = 2_500_000;

/** The state of a shell between commands. */
export abstract class ShellState implements ShellView {
  /** The content that the script wrote to files, by path. Connections, by `&` and their number. */
  readonly files = new Map<string, string>();
  /** The working folder. Empty if it is not known. */
  folder: string;
  /** `$1`, `$2` and so on; undefined if they are not known. */
  protected parameters: readonly string[] | undefined = [];
  protected readonly variables = new Map<string, readonly string[]>();
  #left = MAX_WORK;
  #pipes = 63;

  constructor(folder: string) {
    this.folder = folder;
  }

  abstract written(script: ParsedScript, text: string): string;

  /**
   * Counts the work for one command, in characters. A short command can expand to any amount of text, with braces, with
   * loops, or with a variable that doubles itself. A command that expands to more than a limit is blocked.
   */
  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new Danger("a command that expands to more text than can be checked");
  }

  variable(name: string): readonly string[] | undefined {
    const known = this.variables.get(name);
    if (known) return known;
    if (name === "@" || name === "*") return this.parameters;
    const value = /^[1-9]\d*$/.test(name) ? this.parameters?.[Number(name) - 1] : this.#wellKnown(name);
    return value === undefined ? undefined : [value];
  }

  /** The variables of every shell that matter here. */
  #wellKnown(name: string): string | undefined {
    if (name === "HOME") return HOME;
    if (name === "PWD") return this.folder || ".";
    return name === "IFS" ? " " : undefined;
  }

  fileOf(text: string): string {
    const path = `/dev/fd/${this.#pipes++}`;
    this.files.set(path, text);
    return path;
  }

  protected assign(it: CommandArgument | Assignment): void {
    if (it.type !== "Assignment") return;
    const { name, value } = it;
    const before = it.append || it.index ? (this.variables.get(name) ?? []) : [];
    const values =
      value.type === "Word" ? [expandText(value, this)] : value.elements.flatMap((word) => expandWord(word, this));
    const joined = it.append && value.type === "Word" ? [(before[0] ?? "") + values[0]] : [...before, ...values];
    this.spend(joined.reduce((sum, text) => sum + text.length + 1, 0));
    this.variables.set(name, joined);
  }

  /** Applies a builtin command to the state of the shell. */
  protected builtin({ name, args, stdin }: SimpleCommand): void {
    const operands = args.filter((arg) => !arg.startsWith("-"));
    switch (name) {
      case "cd":
      case "pushd": {
        const to = resolvePath(operands[0] ?? HOME, this.folder);
        const known = /^[/\uE002]/.test(to) && !hasGlob(to) && !to.includes(UNKNOWN) && !to.includes(FOREIGN);
        this.folder = known ? to : "";
        break;
      }
      case "set":
        if (args.includes("--")) this.parameters = args.slice(args.indexOf("--") + 1);
        else if (operands.length > 0) this.parameters = operands;
        break;
      case "shift":
        this.parameters = this.parameters?.slice(Number(operands[0] ?? 1));
        break;
      case "read":
      case "mapfile":
      case "readarray":
        for (const variable of operands) this.variables.set(variable, [(stdin ?? UNKNOWN).replace(/\n+$/, "")]);
    }
  }
}
