/** `util.parseArgs`. */
import { fault, wrongType } from "./fault.ts";
import { process } from "./process.ts";

interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: unknown;
}
type Options = Readonly<Record<string, Option>>;

interface Config {
  readonly args?: readonly string[];
  readonly options?: Options;
  readonly strict?: boolean;
  readonly allowPositionals?: boolean;
  readonly allowNegative?: boolean;
  readonly tokens?: boolean;
}

interface OptionToken {
  readonly kind: "option";
  name: string;
  readonly rawName: string;
  readonly index: number;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}
type Token =
  | OptionToken
  | { readonly kind: "positional"; readonly index: number; readonly value: string }
  | { readonly kind: "option-terminator"; readonly index: number };

const own = (options: Options, name: string): Option | undefined =>
  Object.hasOwn(options, name) ? options[name] : undefined;
const isText = (options: Options, name: string): boolean => own(options, name)?.type === "string";
const longOf = (options: Options, short: string): string =>
  Object.keys(options).find((name) => own(options, name)?.short === short) ?? short;

/** What the arguments are made of, in their order. A group of short options, as `-abc`, is one for each. */
function tokensOf(args: readonly string[], options: Options): Token[] {
  const tokens: Token[] = [];
  const rest = [...args];
  let index = -1;
  /** Options of a group: they share its index. */
  let grouped = 0;
  const option = (name: string, rawName: string, value: string | undefined, inlineValue: boolean | undefined): void => {
    tokens.push({ kind: "option", name, rawName, index, value, inlineValue });
  };
  /** An option whose value, if it takes one, is the next argument. */
  const alone = (name: string, rawName: string): void => {
    const value = isText(options, name) ? rest.shift() : undefined;
    option(name, rawName, value, value === undefined ? undefined : false);
    if (value !== undefined) index++;
  };
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (grouped > 0) grouped--;
    else index++;
    if (arg === "--") {
      tokens.push({ kind: "option-terminator", index });
      for (const value of rest.splice(0)) tokens.push({ kind: "positional", index: ++index, value });
    } else if (/^-[^-]$/s.test(arg)) alone(longOf(options, arg.charAt(1)), arg);
    else if (/^-[^-]/s.test(arg)) {
      const short = arg.charAt(1);
      const group = ungrouped(arg, options);
      if (isText(options, longOf(options, short))) option(longOf(options, short), `-${short}`, arg.slice(2), true);
      else rest.unshift(...group);
      grouped = group.length === 1 ? 0 : group.length;
    } else if (/^--./s.test(arg)) {
      const equals = arg.indexOf("=", 3);
      if (equals < 0) alone(arg.slice(2), arg);
      else option(arg.slice(2, equals), arg.slice(0, equals), arg.slice(equals + 1), true);
    } else tokens.push({ kind: "positional", index, value: arg });
  }
  return tokens;
}

/** The options in a group: one that takes a value takes the rest. */
function ungrouped(group: string, options: Options): string[] {
  const single: string[] = [];
  for (let at = 1; at < group.length; at++) {
    if (isText(options, longOf(options, group.charAt(at)))) return [...single, `-${group.slice(at)}`];
    single.push(`-${group.charAt(at)}`);
  }
  return single;
}

const wrongValue = (message: string): Error => fault(TypeError, "ERR_PARSE_ARGS_INVALID_OPTION_VALUE", message);

function checkUsage({ name, rawName, value, inlineValue }: OptionToken, options: Options, config: Config): void {
  const isNegated =
    own(options, name) === undefined &&
    config.allowNegative === true &&
    name.startsWith("no-") &&
    own(options, name.slice(3))?.type === "boolean";
  const known = isNegated ? name.slice(3) : name;
  const option = own(options, known);
  if (!option) {
    const place = `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(rawName)}`;
    throw fault(
      TypeError,
      "ERR_PARSE_ARGS_UNKNOWN_OPTION",
      `Unknown option '${rawName}'${config.allowPositionals ? place : ""}`,
    );
  }
  const shown = `${option.short ? `-${option.short}, ` : ""}--${known}`;
  if (option.type === "string" && value === undefined) throw wrongValue(`Option '${shown} <value>' argument missing`);
  if (option.type === "boolean" && value !== undefined) throw wrongValue(`Option '${shown}' does not take an argument`);
  if (inlineValue || value === undefined || !/^-./s.test(value)) return;
  const example = rawName.startsWith("--") ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
  throw wrongValue(
    `Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\nTo specify an option argument starting with a dash use ${example}.`,
  );
}

function checkOptions(options: Options): void {
  for (const [name, option] of Object.entries(options)) {
    const place = `options.${name}`;
    if (typeof option !== "object" || option === null) throw wrongType(place, "of type object");
    const { type, short, multiple = false, default: otherwise } = option;
    if (type !== "string" && type !== "boolean") throw wrongType(`${place}.type`, "one of 'string', 'boolean'");
    if (Object.hasOwn(option, "short")) {
      if (typeof short !== "string") throw wrongType(`${place}.short`, "of type string");
      if (short.length !== 1)
        throw fault(
          TypeError,
          "ERR_INVALID_ARG_VALUE",
          `The property '${place}.short' must be a single character. Received '${short}'`,
        );
    }
    if (typeof multiple !== "boolean") throw wrongType(`${place}.multiple`, "of type boolean");
    if (otherwise === undefined) continue;
    if (multiple ? !Array.isArray(otherwise) : typeof otherwise !== type)
      throw wrongType(`${place}.default`, `of type ${multiple ? "Array" : type}`);
    if (multiple && (otherwise as unknown[]).some((one) => typeof one !== type))
      throw wrongType(`${place}.default[...]`, `of type ${type}`);
  }
}

/** The agent's, if the hook may have them. */
const ownArguments = (): string[] => (process as unknown as { argv: string[] }).argv.slice(2);

export function parseArgs(config: Config = {}): { values: object; positionals: string[]; tokens?: Token[] } {
  const { args = ownArguments(), options = {}, strict = true, tokens: wantsTokens = false } = config;
  const { allowPositionals = !strict, allowNegative = false } = config;
  if (!Array.isArray(args)) throw wrongType("args", "an instance of Array");
  for (const [name, value] of Object.entries({ strict, allowPositionals, tokens: wantsTokens, allowNegative }))
    if (typeof value !== "boolean") throw wrongType(name, "of type boolean");
  if (typeof options !== "object" || options === null) throw wrongType("options", "of type object");
  checkOptions(options);
  const tokens = tokensOf(args, options);
  const values: Record<string, unknown> = Object.create(null);
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "option") {
      if (strict) checkUsage(token, options, { ...config, allowPositionals, allowNegative });
      store(token, options, allowNegative, values);
    } else if (token.kind === "positional") {
      if (!allowPositionals)
        throw fault(
          TypeError,
          "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
          `Unexpected argument '${token.value}'. This command does not take positional arguments`,
        );
      positionals.push(token.value);
    }
  }
  for (const [name, option] of Object.entries(options))
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  return { values, positionals, ...(wantsTokens ? { tokens } : {}) };
}

/** In Node, too, the token of a negated option then has the name of the option itself. */
function store(token: OptionToken, options: Options, allowNegative: boolean, values: Record<string, unknown>): void {
  if (token.name === "__proto__") return;
  const isNegated = allowNegative && token.name.startsWith("no-") && token.value === undefined;
  if (isNegated) token.name = token.name.slice(3);
  const { name, value } = token;
  const given = isNegated ? false : (value ?? true);
  if (own(options, name)?.multiple) values[name] = [...((values[name] as unknown[] | undefined) ?? []), given];
  else values[name] = given;
}
