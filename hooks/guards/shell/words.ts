import type { Assignment, ParameterExpansionPart, ParsedScript, SyntaxNode, Word, WordPart } from "unbash";
import { forEachChild, parse } from "unbash";
import { HOME, ONE, SPLIT, STAR, UNKNOWN } from "./marks.ts";

/** What the expansion of a word asks of the shell around it. */
export interface Surroundings {
  /** The values of a variable, several for an array, or undefined where they are not known. */
  variable(name: string): readonly string[] | undefined;
  /** What a script inside a word writes, once it has been looked at. `text` is its source. */
  written(script: ParsedScript, text: string): string;
  /** A path under which `text` can be read. */
  fileOf(text: string): string;
  spend(amount: number): void;
}

/** The words that one word of the source becomes. */
export function expandWord(word: Word, around: Surroundings): string[] {
  if (!word.parts) return [withTilde(word.text, word.value)];
  let texts = [""];
  let quoted = false;
  word.parts.forEach((part, index) => {
    quoted ||= /Quoted|Locale/.test(part.type);
    const options = part.type === "BraceExpansion" ? braces(part.text, around) : [expandPart(part, around, false)];
    if (index === 0 && part.type === "Literal") options[0] = withTilde(part.text, part.value);
    around.spend(texts.length * options.reduce((sum, option) => sum + option.length + 1, 0));
    texts = texts.flatMap((text) => options.map((option) => text + option));
  });
  return texts.flatMap((text) => {
    around.spend(text.length);
    const fields = text.split(SPLIT);
    return fields.length === 1 && quoted ? fields : fields.filter((field) => field !== "");
  });
}

/** One word where the shell neither splits nor expands stars: a value, a redirection's text. */
export function expandText(word: Word, around: Surroundings): string {
  return withTilde(word.text, expandBody(word.value, word.parts, around).replaceAll(SPLIT, " "));
}

/** A here-document's text; without parts it is as it stands. */
export function expandBody(text: string, parts: readonly WordPart[] | undefined, around: Surroundings): string {
  const expanded = parts ? parts.map((part) => expandPart(part, around, true)).join("") : text;
  around.spend(expanded.length);
  return expanded;
}

/** An argument may have the form of an assignment, as for `export` and `dd`. */
export function expandArgument(argument: Word | Assignment, around: Surroundings): string[] {
  if (argument.type === "Word") return expandWord(argument, around);
  const { value } = argument;
  return [`${argument.name}=${value.type === "Word" ? expandText(value, around) : ""}`];
}

/** Looks at the scripts inside a node whose own value is not worked out, such as an arithmetic expression. */
export function visitScripts(node: SyntaxNode, around: Surroundings): void {
  if ("script" in node) {
    if (node.script) around.written(node.script, node.text);
  } else forEachChild(node, (child) => visitScripts(child, around));
}

function expandPart(part: WordPart, around: Surroundings, quoted: boolean): string {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "Glob":
      return quoted ? part.value : part.kind === "star" ? STAR : ONE;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((child) => expandPart(child, around, true)).join("");
    case "SimpleExpansion":
      return spread(around.variable(part.text.slice(1)) ?? [UNKNOWN], part.text.slice(1), quoted);
    case "ParameterExpansion":
      return spread(parameter(part, around), part.index?.value ?? part.parameter, quoted);
    case "CommandExpansion": {
      const text = part.script ? around.written(part.script, part.text).replace(/\n+$/, "") : UNKNOWN;
      return quoted ? text : unquoted(text);
    }
    case "ProcessSubstitution":
      return part.script ? around.fileOf(around.written(part.script, part.text)) : UNKNOWN;
    case "ArithmeticExpansion":
      visitScripts(part, around);
      return UNKNOWN;
    case "ExtendedGlob":
      visitScripts(part, around);
      return quoted ? part.text : STAR;
    case "BraceExpansion":
      return part.text;
  }
}

/** Several values in one text: `"$@"` stays several words, `"$*"` becomes one. */
function spread(values: readonly string[], name: string, quoted: boolean): string {
  if (quoted) return values.join(name === "@" ? SPLIT : " ");
  return values.map(unquoted).join(SPLIT);
}

/** What the shell makes of a variable's text outside quotes. */
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

/** `${x...}`: the operations that can be worked out on a value that is known. */
function parameter(part: ParameterExpansionPart, around: Surroundings): readonly string[] {
  const text = (word: Word): string => expandText(word, around);
  const { operation, prefix, index } = part;
  let values = around.variable(part.parameter);
  if (prefix === "!" && values?.[0] !== undefined) values = around.variable(values[0]);
  if (prefix === "#") return [UNKNOWN];
  if (index && index.value !== "@" && index.value !== "*") values = values && [values[Number(text(index))] ?? UNKNOWN];
  if (!operation) return values ?? [UNKNOWN];
  const change = (by: (value: string) => string): readonly string[] => (values ?? [UNKNOWN]).map(by);
  switch (operation.type) {
    case "Default": {
      // An unset variable takes the default; `+` takes it instead of a value.
      const other = text(operation.operand);
      if (operation.operator.includes("+")) return [other];
      if (operation.operator.includes("?")) return values ?? [UNKNOWN];
      return values && values.join("") !== "" ? values : [other];
    }
    case "Slice": {
      const from = Number(text(operation.offset));
      const length = operation.length ? Number(text(operation.length)) : undefined;
      // The first letter of a path is the root folder, whatever the path.
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
        around.spend(result.length);
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
        // Doubled, the operator is for all letters, and not for the first alone.
        return operation.operator.length === 2 ? turned : turned.slice(0, 1) + value.slice(1);
      });
    default:
      visitScripts(part, around);
      return values ?? [UNKNOWN];
  }
}

/** The texts of `{a,b}`, nested ones included. A range is one of its numbers, or any one letter. */
function braces(source: string, around: Surroundings): string[] {
  around.spend(source.length);
  const items = splitAtCommas(source.slice(1, -1));
  if (items.length === 1) return /^\{-?\d/.test(source) ? ["1"] : source.includes("..") ? [ONE] : [source];
  return items.flatMap((item) => {
    const command = parse(`_ ${item.replace(/^#/, "\\#")}`).commands[0]?.command;
    const words = command?.type === "Command" ? command.args.flatMap((word) => expandArgument(word, around)) : [];
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
