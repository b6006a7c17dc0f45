import type { Assignment, ParameterExpansionPart, ParsedScript, SyntaxNode, Word, WordPart } from "unbash";
import { forEachChild, parse } from "unbash";
import { HOME, ONE, SPLIT, STAR, UNKNOWN } from "./marks.ts";

/** What the expansion of a word needs from the shell. */
export interface ShellView {
  /** The values of a variable (several for an array), or undefined if they are not known. */
  variable(name: string): readonly string[] | undefined;
  /** Checks a script inside a word, and returns its output. `text` is its source. */
  written(script: ParsedScript, text: string): string;
  /** The path of a new file with this text. */
  fileOf(text: string): string;
  spend(amount: number): void;
}

/** Expands one word of the source to any number of words. */
export function expandWord(word: Word, shell: ShellView): string[] {
  if (!word.parts) return [withTilde(word.text, word.value)];
  let texts = [""];
  let quoted = false;
  word.parts.forEach((part, index) => {
    quoted ||= /Quoted|Locale/.test(part.type);
    const options = part.type === "BraceExpansion" ? braces(part.text, shell) : [expandPart(part, shell, false)];
    if (index === 0 && part.type === "Literal") options[0] = withTilde(part.text, part.value);
    shell.spend(texts.length * options.reduce((sum, option) => sum + option.length + 1, 0));
    texts = texts.flatMap((text) => options.map((option) => text + option));
  });
  return texts.flatMap((text) => {
    shell.spend(text.length);
    const fields = text.split(SPLIT);
    return fields.length === 1 && quoted ? fields : fields.filter((field) => field !== "");
  });
}

/**
 * Expands to one word, for positions where the shell neither splits words nor expands stars, such as assigned values.
 */
export function expandText(word: Word, shell: ShellView): string {
  return withTilde(word.text, expandBody(word.value, word.parts, shell).replaceAll(SPLIT, " "));
}

/** Expands the text of a here-document. Without parts, the text is unchanged. */
export function expandBody(text: string, parts: readonly WordPart[] | undefined, shell: ShellView): string {
  const expanded = parts ? parts.map((part) => expandPart(part, shell, true)).join("") : text;
  shell.spend(expanded.length);
  return expanded;
}

/** Expands an argument, which may have the form of an assignment, as for `export` and `dd`. */
export function expandArgument(argument: Word | Assignment, shell: ShellView): string[] {
  if (argument.type === "Word") return expandWord(argument, shell);
  const { value } = argument;
  return [`${argument.name}=${value.type === "Word" ? expandText(value, shell) : ""}`];
}

/** Checks the scripts inside a node whose own value is not computed, such as an arithmetic expression. */
export function visitScripts(node: SyntaxNode, shell: ShellView): void {
  if ("script" in node) {
    if (node.script) shell.written(node.script, node.text);
  } else forEachChild(node, (child) => visitScripts(child, shell));
}

function expandPart(part: WordPart, shell: ShellView, quoted: boolean): string {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "Glob":
      return quoted ? part.value : part.kind === "star" ? STAR : ONE;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((child) => expandPart(child, shell, true)).join("");
    case "SimpleExpansion":
      return spread(shell.variable(part.text.slice(1)) ?? [UNKNOWN], part.text.slice(1), quoted);
    case "ParameterExpansion":
      return spread(parameter(part, shell), part.index?.value ?? part.parameter, quoted);
    case "CommandExpansion": {
      const text = part.script ? shell.written(part.script, part.text).replace(/\n+$/, "") : UNKNOWN;
      return quoted ? text : unquoted(text);
    }
    case "ProcessSubstitution":
      return part.script ? shell.fileOf(shell.written(part.script, part.text)) : UNKNOWN;
    case "ArithmeticExpansion":
      visitScripts(part, shell);
      return UNKNOWN;
    case "ExtendedGlob":
      visitScripts(part, shell);
      return quoted ? part.text : STAR;
    case "BraceExpansion":
      return part.text;
  }
}

/** Joins several values to one text. `"$@"` stays several words, `"$*"` becomes one. */
function spread(values: readonly string[], name: string, quoted: boolean): string {
  if (quoted) return values.join(name === "@" ? SPLIT : " ");
  return values.map(unquoted).join(SPLIT);
}

/** The text of a variable outside of quotes: the shell splits it and expands wildcards. */
function unquoted(text: string): string {
  return text
    .replace(/[ \t\n]+/g, SPLIT)
    .replaceAll("*", STAR)
    .replaceAll("?", ONE);
}

function withTilde(source: string, value: string): string {
  if (!source.startsWith("~")) return value;
  const user = /^~[^/]*/.exec(value)?.[0] ?? "~";
  if (user === "~+") return `.${value.slice(2)}`;
  return (user === "~-" ? UNKNOWN : HOME) + value.slice(user.length);
}

/** Computes `${x...}`, for the operations that are possible on a known value. */
function parameter(part: ParameterExpansionPart, shell: ShellView): readonly string[] {
  const text = (word: Word): string => expandText(word, shell);
  const { operation, prefix, index } = part;
  let values = shell.variable(part.parameter);
  if (prefix === "!" && values?.[0] !== undefined) values = shell.variable(values[0]);
  if (prefix === "#") return [UNKNOWN];
  if (index && index.value !== "@" && index.value !== "*") values = values && [values[Number(text(index))] ?? UNKNOWN];
  if (!operation) return values ?? [UNKNOWN];
  const change = (by: (value: string) => string): readonly string[] => (values ?? [UNKNOWN]).map(by);
  switch (operation.type) {
    case "Default": {
      // An unset variable has the default. With `+`, the default replaces a value.
      const other = text(operation.operand);
      if (operation.operator.includes("+")) return [other];
      if (operation.operator.includes("?")) return values ?? [UNKNOWN];
      return values && values.join("") !== "" ? values : [other];
    }
    case "Slice": {
      const from = Number(text(operation.offset));
      const length = operation.length ? Number(text(operation.length)) : undefined;
      // The first character of an absolute path is always the root folder.
      const first = /^(HOME|PATH|PWD|SHELL|OLDPWD)$/.test(part.parameter) && from === 0 && length === 1;
      if (first) return ["/"];
      return change((value) => value.slice(from, length === undefined || length < 0 ? length : from + length));
    }
    case "Replace": {
      const pattern = text(operation.pattern);
      const replacement = text(operation.replacement);
      if (pattern === "") return values ?? [UNKNOWN];
      const replace = operation.operator === "//" ? "replaceAll" : "replace";
      return change((value) => {
        const result = value[replace](pattern, () => replacement);
        shell.spend(result.length);
        return result;
      });
    }
    case "Remove": {
      const pattern = text(operation.operand);
      const front = operation.operator.startsWith("#");
      return change((value) => {
        if (front) return value.startsWith(pattern) ? value.slice(pattern.length) : value;
        return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) : value;
      });
    }
    case "CaseModification":
      return change((value) => {
        const turned = operation.operator[0] === "^" ? value.toUpperCase() : value.toLowerCase();
        // A doubled operator changes all letters, a single one only the first.
        return operation.operator.length === 2 ? turned : turned.slice(0, 1) + value.slice(1);
      });
    default:
      visitScripts(part, shell);
      return values ?? [UNKNOWN];
  }
}

/** The texts of `{a,b}`, also of nested ones. A range becomes the number 1, or any one character. */
function braces(source: string, shell: ShellView): string[] {
  shell.spend(source.length);
  const items = splitAtCommas(source.slice(1, -1));
  if (items.length === 1) return /^\{-?\d/.test(source) ? ["1"] : source.includes("..") ? [ONE] : [source];
  return items.flatMap((item) => {
    const command = parse(`_ ${item.replace(/^#/, "\\#")}`).commands[0]?.command;
    const words = command?.type === "Command" ? command.args.flatMap((word) => expandArgument(word, shell)) : [];
    return words.length > 0 ? words : [""];
  });
}

function splitAtCommas(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'") at++;
    else if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"' || character === "`") quote = character;
    else if (character === "{" || character === "(") depth++;
    else if (character === "}" || character === ")") depth--;
    else if (character === "," && depth === 0) {
      items.push(text.slice(start, at));
      start = at + 1;
    }
  }
  items.push(text.slice(start));
  return items;
}
