import type { Command, ParsedScript, Redirection, Statement, SyntaxNode } from "unbash";
import { forEachChild, parse } from "unbash";
import { writesTo } from "../programs/dangers.ts";
import { ofProgram } from "../programs/interpreters.ts";
import { NAMES, programCalled } from "../programs/known-programs.ts";
import { textualDanger } from "../textual-look.ts";
import { Functions, startsItself } from "./fork-bomb.ts";
import { Danger, FOREIGN, refuse, STAR, UNKNOWN } from "./marks.ts";
import { globFits, hasGlob, programName, resolvePath } from "./paths.ts";
import { followRedirects, type Redirected } from "./redirects.ts";
import type { Launched, SimpleCommand } from "./simple-command.ts";
import { ShellState } from "./state.ts";
import { expandArgument, expandText, expandWord, visitScripts } from "./words.ts";

/** Most levels of nested commands. */
const MAX_DEPTH = 60;
/** Most function calls, and most nested ones, that are followed. Each body was checked before, at its definition. */
const MAX_CALLS = 500;
const MAX_OPEN_CALLS = 5;
/** The parser's time grows with the square of these. */
const MAX_HERE_DOCUMENTS = 1000;

/** The input of a command, and the programs after it in a pipe. */
type Streams = { stdin?: string | undefined; pipedTo: readonly string[] };
const APART: Streams = { pipedTo: [] };

/** What a program gets from the line that starts it. */
type Started = Pick<SimpleCommand, "environment" | "connected">;

/**
 * A shell that runs no programs. It interprets a script as bash does, knows the variables and files that the script
 * itself sets, and throws a `Danger` at the first program that would do harm. It follows both branches of a condition,
 * and a loop's body once for each word. Unknown values are `UNKNOWN`. A variable has the value of the last assignment
 * in the text.
 */
export class Shell extends ShellState {
  readonly #bodies = new Map<string, SyntaxNode>();
  readonly #functions = new Functions();
  #depth = 0;
  #calls = 0;
  #openCalls = 0;

  /** Interprets a script, and returns its output. */
  interpret(text: string, streams = APART, parameters = this.parameters): string {
    if (text.trim() === "") return "";
    this.spend(text.length);
    if (text.split("<<").length > MAX_HERE_DOCUMENTS) throw new Danger("more here-documents than can be checked");
    return this.#within(() => this.#with(parameters, () => this.#script(parse(text), text, streams)));
  }

  written(script: ParsedScript, text: string): string {
    // The parser reads a nested script again for each level.
    this.spend(text.length);
    return this.#within(() => this.#apart(() => this.#script(script, text, APART)));
  }

  #within(act: () => string): string {
    if (++this.#depth > MAX_DEPTH) throw new Danger("commands nested deeper than can be checked");
    const written = act();
    this.#depth--;
    this.spend(written.length);
    return written;
  }

  /** Runs `act` as in a subshell, which does not change the working folder. */
  #apart(act: () => string): string {
    const { folder } = this;
    const written = act();
    this.folder = folder;
    return written;
  }

  #with(parameters: readonly string[] | undefined, act: () => string): string {
    const outer = this.parameters;
    if (parameters === outer) return act();
    this.parameters = parameters;
    const written = act();
    this.parameters = outer;
    return written;
  }

  #script(script: ParsedScript, text: string, streams: Streams): string {
    if (script.errors?.some((error) => error.message.includes("nesting depth")))
      throw new Danger("commands nested deeper than can be checked");
    if (script.errors) {
      this.spend(text.length);
      refuse(textualDanger(text));
    }
    return this.#all(script.commands, streams);
  }

  #all(nodes: readonly SyntaxNode[], streams: Streams): string {
    return nodes.map((node) => this.#node(node, streams)).join("");
  }

  /** Interprets one node of a script, and returns its output. */
  #node(node: SyntaxNode, streams: Streams): string {
    this.spend(1);
    switch (node.type) {
      case "Command":
        return this.#simple(node, streams);
      case "Pipeline":
        return this.#pipeline(node.commands, streams);
      case "Redirected":
        return this.#redirected(node.redirects, streams, (inner) => this.#node(node.command, inner));
      case "Statement":
      case "AndOr":
      case "CompoundList":
      case "BraceGroup":
      case "If":
      case "Elif":
      case "While":
      case "ArithmeticFor":
        return this.#all(childrenOf(node), streams);
      case "Subshell":
        return this.#apart(() => this.#node(node.body, streams));
      case "Coproc":
        return this.#node(node.body, streams);
      case "For":
      case "Select": {
        const values = node.wordlist?.flatMap((word) => expandWord(word, this)) ?? this.parameters ?? [UNKNOWN];
        // A body that tests its files does not act on all of them.
        const tests = node.body.commands.some(({ command }) => /^(AndOr|If|Case)$/.test(command.type));
        const bodies = [...new Set(values)].map((value) => {
          const one = tests && !/^[/\uE002]/.test(value) ? value.replaceAll(STAR, UNKNOWN) : value;
          this.variables.set(node.name.value, [one]);
          return this.#node(node.body, streams);
        });
        return bodies.join("");
      }
      case "Case":
        expandText(node.word, this);
        for (const word of node.items.flatMap((item) => item.pattern)) visitScripts(word, this);
        return this.#all(
          node.items.map((item) => item.body),
          streams,
        );
      case "Function":
        return this.#define(node.name.value, node.body);
      default:
        visitScripts(node, this);
        return "";
    }
  }

  #pipeline(stages: readonly Statement["command"][], streams: Streams): string {
    if (stages.length === 1 && stages[0]) return this.#node(stages[0], streams);
    if (startsItself(stages)) throw new Danger("a fork bomb");
    const names = stages.map(wordsOf);
    return this.#apart(() => {
      let text = streams.stdin;
      stages.forEach((stage, index) => {
        // Only the next program: later ones get the text from it.
        text = this.#node(stage, { stdin: text, pipedTo: names[index + 1] ?? streams.pipedTo });
      });
      return text ?? "";
    });
  }

  /** Checks a function's body once with unknown arguments. Each call interprets it again with its own arguments. */
  #define(name: string, body: SyntaxNode): string {
    if (this.#functions.isBomb(name, body, (amount) => this.spend(amount))) throw new Danger("a fork bomb");
    this.#within(() => this.#apart(() => this.#with(undefined, () => this.#node(body, APART))));
    this.#bodies.set(name, body);
    return "";
  }

  /**
   * Calls `act` with its redirected input, and keeps its output as the content of the file that it is redirected to.
   */
  #redirected(
    redirects: readonly Redirection[],
    streams: Streams,
    act: (inner: Streams, redirected: Redirected) => string,
  ): string {
    const redirected = followRedirects(redirects, streams.stdin, this);
    const { stdin, output, writes } = redirected;
    for (const path of writes) refuse(writesTo(path));
    const written = act({ stdin, pipedTo: output ? [] : streams.pipedTo }, redirected);
    if (!output) return written;
    const before = output.append ? (this.files.get(output.path) ?? "") : "";
    this.spend(before.length + written.length);
    this.files.set(output.path, before + written);
    return "";
  }

  #simple(node: Command, streams: Streams): string {
    const assignments = node.prefix.filter((it) => it.type === "Assignment");
    const environment = assignments.flatMap((it) => expandArgument(it, this));
    const declares = /^(export|declare|local|readonly|typeset)$/.test(node.name?.value ?? "");
    for (const it of node.name ? (declares ? node.args : []) : assignments) this.assign(it);
    return this.#redirected(node.redirects, streams, (inner, { connected }) => {
      const name = node.name ? expandWord(node.name, this) : [];
      const words = [...name, ...node.args.flatMap((it) => expandArgument(it, this))];
      // `$(<file)` is the content of the file.
      if (words.length === 0) return node.redirects.length > 0 ? (inner.stdin ?? "") : "";
      return this.#call(words, inner, { environment, connected });
    });
  }

  /** Interprets the call of a program. */
  #call(words: readonly string[], { stdin, pipedTo }: Streams, started: Started): string {
    this.spend(words.reduce((sum, word) => sum + word.length + 1, 20));
    const [word = "", ...args] = words;
    if (word.startsWith(FOREIGN)) throw new Danger("runs text that it downloads or decodes");
    // A variable that is empty, or that contains a wrapper such as `sudo`.
    if (word.replaceAll(UNKNOWN, "") === "")
      return args.length > 0 ? this.#call(args, { stdin, pipedTo }, started) : UNKNOWN;
    const name = programName(word);
    // A star alone may be any program, most likely one without a rule.
    if (name.replaceAll(STAR, "") === "") return UNKNOWN;
    const names = hasGlob(name) ? [...NAMES].filter((known) => globFits(name, known)) : [name];
    const call = { args, folder: this.folder, stdin, pipedTo, ...started };
    return names.map((it) => this.#program(word, { name: it, ...call })).join("");
  }

  #program(word: string, command: SimpleCommand): string {
    const program = programCalled(command.name);
    refuse(program.danger(command));
    this.builtin(command);
    const body = this.#bodies.get(word);
    const { stdin, pipedTo, args, folder } = command;
    if (body) return this.#callFunction(body, args, { stdin, pipedTo });
    const reads = (path: string): string | undefined => this.files.get(resolvePath(path, folder));
    const itself = word.includes("/") ? ofProgram(reads(word), true, [word, ...args]) : [];
    const launched = [...program.starts(command, reads), ...itself];
    for (const [path, text] of program.leaves(command)) this.files.set(resolvePath(path, folder), text);
    const written = launched.map((it) => this.#launch(it, command)).join("");
    return launched.length > 0 && command.name !== "find" ? written : program.writes(command, reads);
  }

  #callFunction(body: SyntaxNode, args: readonly string[], streams: Streams): string {
    if (this.#calls++ >= MAX_CALLS || this.#openCalls >= MAX_OPEN_CALLS) return UNKNOWN;
    this.#openCalls++;
    const written = this.#within(() => this.#with(args, () => this.#node(body, streams)));
    this.#openCalls--;
    return written;
  }

  #launch(launched: Launched, { pipedTo, stdin, environment, connected }: SimpleCommand): string {
    if ("code" in launched) return this.interpret(launched.code, { stdin, pipedTo }, launched.parameters?.slice(1));
    if (launched.words.length === 0) return "";
    const started = { environment: [...environment, ...(launched.environment ?? [])], connected };
    return this.#within(() => this.#call(launched.words, { stdin: launched.stdin, pipedTo }, started));
  }
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  forEachChild(node, (child) => children.push(child));
  return children;
}

function wordsOf(node: SyntaxNode): string[] {
  if (node.type === "Redirected") return wordsOf(node.command);
  if (node.type !== "Command" || !node.name) return [];
  return [programName(node.name.value), ...node.args.map((it) => (it.type === "Word" ? programName(it.value) : ""))];
}
