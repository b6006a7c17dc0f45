/** The exports of `openclaw/plugin-sdk` and its subpaths that plugins import, besides types. */

/** Marks a plugin's entry. It does nothing else. */
export const definePluginEntry = <Entry>(entry: Entry): Entry => entry;

/** The schema of a plugin that has no configuration. */
export const emptyPluginConfigSchema = (): object => ({
  type: "object",
  additionalProperties: false,
  properties: {},
});

/** What a tool returns: a value, which the model reads as JSON. */
export const jsonResult = (value: unknown): object => ({
  content: [{ type: "text", text: JSON.stringify(value, null, 2) }],
  details: value,
});

/** What a tool returns: a text. */
export const textResult = (text: string, details?: unknown): object => ({
  content: [{ type: "text", text }],
  details,
});

type Say = (message: string, meta?: object) => void;

interface SubsystemLogger extends Record<"trace" | "debug" | "info" | "warn" | "error" | "fatal" | "raw", Say> {
  readonly subsystem: string;
  isEnabled(): boolean;
  child(name: string): SubsystemLogger;
}

/** The log of a part of OpenClaw. Here its lines are the hook's own. */
export function createSubsystemLogger(subsystem: string): SubsystemLogger {
  const say =
    (level: "debug" | "info" | "warn" | "error"): Say =>
    (message, meta) =>
      console[level](`[${subsystem}] ${message}`, ...(meta === undefined ? [] : [meta]));
  return {
    subsystem,
    isEnabled: () => true,
    trace: say("debug"),
    debug: say("debug"),
    info: say("info"),
    warn: say("warn"),
    error: say("error"),
    fatal: say("error"),
    raw: say("info"),
    child: (name) => createSubsystemLogger(`${subsystem}/${name}`),
  };
}

/** The schema of a text that is one of these: models' APIs take it where they take no union. */
export const stringEnum = (values: readonly string[], options: object = {}): object => ({
  type: "string",
  enum: [...values],
  ...options,
});

/** What a tool throws for arguments of the model's that it cannot use. */
export class ToolInputError extends Error {
  override readonly name: string = "ToolInputError";
  readonly status = 400;
}

type Arguments = Record<string, unknown>;

interface Reading {
  required?: boolean;
  /** What the error calls it. */
  label?: string;
}

/** An argument by its name; models also write names of two words with an underscore. */
function argument(given: Arguments, name: string): unknown {
  const spoken = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const found = [name, spoken].find((one) => Object.hasOwn(given, one));
  return found === undefined ? undefined : given[found];
}

function orMissing<Value>(
  value: Value | undefined,
  name: string,
  { required, label = name }: Reading,
): Value | undefined {
  if (value === undefined && required) throw new ToolInputError(`${label} required`);
  return value;
}

/** A text among a tool's arguments; `undefined` for none and for an empty one. Throws {@link ToolInputError} if it is required. */
export function readStringParam(
  given: Arguments,
  name: string,
  options: Reading & { trim?: boolean; allowEmpty?: boolean } = {},
): string | undefined {
  const { trim = true, allowEmpty = false } = options;
  const found = argument(given, name);
  const text = typeof found === "string" ? (trim ? found.trim() : found) : undefined;
  return orMissing(text === "" && !allowEmpty ? undefined : text, name, options);
}

/** A number, also one that was written as a text. */
export function readNumberParam(
  given: Arguments,
  name: string,
  options: Reading & { integer?: boolean; strict?: boolean } = {},
): number | undefined {
  const { integer = false, strict = false } = options;
  const found = argument(given, name);
  const parse = (text: string): number => (strict ? Number(text) : Number.parseFloat(text));
  const number = typeof found === "string" && found.trim() !== "" ? parse(found.trim()) : found;
  const isNumber = typeof number === "number" && Number.isFinite(number);
  return orMissing(isNumber ? (integer ? Math.trunc(number) : number) : undefined, name, options);
}

/** Texts without those that are empty; one text is a list of one. */
export function readStringArrayParam(given: Arguments, name: string, options: Reading = {}): string[] | undefined {
  const found = argument(given, name);
  const all: unknown[] = Array.isArray(found) ? found : [found];
  const texts = all.filter((one) => typeof one === "string").map((one) => one.trim());
  const filled = texts.filter((text) => text !== "");
  return orMissing(filled.length > 0 ? filled : undefined, name, options);
}
