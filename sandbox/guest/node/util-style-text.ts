import { fault, wrongType } from "./fault.ts";

type Codes = readonly [open: string, close: string];

const sequence = (code: number | string): string => `\u001b[${code}m`;

const COLORS = ["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White"];

/** The names of each format, and the codes that begin and end it. */
const FORMATS: readonly [names: string, open: number, close: number][] = [
  ["reset", 0, 0],
  ["bold", 1, 22],
  ["dim faint", 2, 22],
  ["italic", 3, 23],
  ["underline", 4, 24],
  ["blink", 5, 25],
  ["inverse swapcolors swapColors", 7, 27],
  ["hidden conceal", 8, 28],
  ["strikethrough strikeThrough crossedout crossedOut", 9, 29],
  ["doubleunderline doubleUnderline", 21, 24],
  ["framed", 51, 54],
  ["overlined", 53, 55],
  ["gray grey", 90, 39],
  ["bgGray bgGrey", 100, 49],
  ...COLORS.flatMap((color, at): [string, number, number][] => [
    [color.toLowerCase(), 30 + at, 39],
    [`bg${color}`, 40 + at, 49],
    [`${color.toLowerCase()}Bright`, 90 + at, 39],
    [`bg${color}Bright`, 100 + at, 49],
  ]),
];

const CODES: ReadonlyMap<string, Codes> = new Map(
  FORMATS.flatMap(([names, open, close]) =>
    names.split(" ").map((name): [string, Codes] => [name, [sequence(open), sequence(close)]]),
  ),
);

const invalid = (format: unknown, must: string): Error =>
  fault(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'format' must be ${must}. Received '${String(format)}'`);

/** A colour as `#RGB` or `#RRGGBB`. */
function colorOf(format: string): Codes {
  const [, short, long] = /^#(?:([\da-f]{3})|([\da-f]{6}))$/i.exec(format) ?? [];
  const digits = short ? [...short].map((digit) => digit + digit) : long?.match(/../g);
  if (!digits) throw invalid(format, "a valid hex color (#RGB or #RRGGBB)");
  return [sequence(`38;2;${digits.map((pair) => Number.parseInt(pair, 16)).join(";")}`), sequence(39)];
}

function codesOf(format: unknown): Codes {
  if (typeof format === "string" && format.startsWith("#")) return colorOf(format);
  const codes = typeof format === "string" ? CODES.get(format) : undefined;
  if (!codes) throw invalid(format, `one of: ${[...CODES.keys()].map((name) => `'${name}'`).join(", ")}`);
  return codes;
}

/** What ends the format inside the text begins it again, but for an end at the very end. */
function reopened(text: string, [open, close]: Codes): string {
  const again = close === sequence(22) ? close + open : open;
  const last = text.lastIndexOf(close) + close.length === text.length ? text.length - close.length : text.length;
  return text.slice(0, last).replaceAll(close, again) + text.slice(last);
}

interface Options {
  validateStream?: unknown;
  stream?: { isTTY?: unknown };
}

/**
 * `util.styleText`. As in Node, it adds no colours where the output is not a terminal. That of a hook never is, so only
 * `validateStream: false` gives colours.
 */
export function styleText(format: unknown, text: unknown, { validateStream = true, stream }: Options = {}): string {
  if (typeof text !== "string") throw wrongType("text", "of type string");
  if (typeof validateStream !== "boolean") throw wrongType("options.validateStream", "of type boolean");
  if (validateStream && stream !== undefined && typeof (stream as { on?: unknown } | null)?.on !== "function")
    throw wrongType("stream", "an instance of ReadableStream, WritableStream, or Stream");
  const formats = (Array.isArray(format) ? format : [format]).filter((one) => one !== "none").map(codesOf);
  if (validateStream && stream?.isTTY !== true) return text;
  const opens = formats.map(([open]) => open);
  const closes = formats.map(([, close]) => close).reverse();
  return [...opens, formats.reduce(reopened, text), ...closes].join("");
}
