import type { Static } from "typebox";
import Type from "../base/type.ts";
import { isRefused } from "./fs-refused-names.ts";

const closed = { additionalProperties: false } as const;

/** A parameter of a granted command line. No value of any kind may start with `-`, `@`, `:` or `+`. */
const Typed = Type.Union([
  Type.Object({ kind: Type.Literal("enum"), values: Type.Array(Type.String()) }, closed),
  Type.Object(
    { kind: Type.Literal("int"), min: Type.Optional(Type.Integer()), max: Type.Optional(Type.Integer()) },
    closed,
  ),
  Type.Object({ kind: Type.Literal("sha") }, closed),
  Type.Object({ kind: Type.Literal("ref") }, closed),
  Type.Object({ kind: Type.Literal("relpath") }, closed),
  Type.Object(
    {
      kind: Type.Literal("text"),
      max: Type.Optional(Type.Integer({ minimum: 1 })),
      /** Of several lines, such as the message of a commit. */
      lines: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
]);
const KINDS_OF_REST = ["int", "sha", "ref", "relpath", "text"] as const;
const Rest = Type.Object({ rest: Type.Enum([...KINDS_OF_REST]) }, closed);

/** In a limit: any number of any arguments, options among them. No grant has it. */
const ANY = "any";
const restOfLimit = Type.Object({ rest: Type.Enum([...KINDS_OF_REST, ANY]) }, closed);

/** One argument of a granted command line: itself, any of a kind, or as the last one any number of a kind. */
export const argument = Type.Union([Type.String(), Typed, Rest], {
  description:
    'A text as it is, or { "kind": "enum" | "int" | "sha" | "ref" | "relpath" | "text" }. The last one may be { "rest": kind } for any number of them.',
});
type Argument = Static<typeof argument>;

/** One argument of a command line in the limit of a policy: as in a grant, or as the last one any arguments. */
export const argumentOfLimit = Type.Union([Type.String(), Typed, restOfLimit], {
  description: `As in a grant. The last one may also be { "rest": "any" }: any arguments, in any folder, with any variables.`,
});

/** True if a limit allows any arguments at the end. */
export const endsWithAny = (args: readonly Argument[]): boolean => {
  const last = args.at(-1);
  return typeof last === "object" && "rest" in last && isAny({ kind: last.rest });
};

const isAny = ({ kind }: { kind: string }): boolean => kind === ANY;

type TypedParameter = Static<typeof Typed>;

/** True if real strings fit a granted list of arguments, whole. */
export function matchesArgs(pattern: readonly Argument[], args: readonly string[]): boolean {
  const last = pattern.at(-1);
  const rest = typeof last === "object" && "rest" in last ? last.rest : undefined;
  const fixed = rest === undefined ? pattern : pattern.slice(0, -1);
  if (rest === undefined ? args.length !== fixed.length : args.length < fixed.length) return false;
  return args.every((arg, index) => {
    const wanted = fixed[index];
    if (wanted === undefined) return fits({ kind: rest } as TypedParameter, arg);
    return typeof wanted === "string" ? arg === wanted : !("rest" in wanted) && fits(wanted, arg);
  });
}

const MAX_TEXT = 4096;

function fits(parameter: TypedParameter, value: string): boolean {
  // A value that a program could take for an option, a file of options, a magic path or several lines.
  const ofLines = parameter.kind === "text" && parameter.lines === true;
  if (/^[-@:+]/.test(value) || (ofLines ? /\0/ : /[\0\r\n]/).test(value)) return false;
  switch (parameter.kind) {
    case "enum":
      return parameter.values.includes(value);
    case "int": {
      const number = Number(value);
      return (
        /^\d{1,15}$/.test(value) &&
        number >= (parameter.min ?? 0) &&
        number <= (parameter.max ?? Number.MAX_SAFE_INTEGER)
      );
    }
    case "sha":
      return /^[0-9a-f]{7,64}$/.test(value);
    case "ref":
      return (
        /^[A-Za-z0-9][\w./-]{0,254}$/.test(value) &&
        !value.includes("..") &&
        !value.endsWith(".lock") &&
        !value.endsWith("/")
      );
    case "relpath":
      return value !== "" && !/^([/\\]|[A-Za-z]:|~)/.test(value) && !value.split(/[/\\]/).includes("..");
    case "text":
      return value.length <= (parameter.max ?? MAX_TEXT);
  }
}

/** Kinds without end, of which each value of the left is one of the right. Files are looked up, and so no text decides. */
const WITHIN: ReadonlySet<string> = new Set(["sha ref", "int ref", "sha text", "int text", "ref text"]);
const LONGEST = { int: 15, sha: 64, ref: 255 } as const;
const MAX_INT = 999_999_999_999_999;

/**
 * True only if whatever fits `narrow` fits `wide`.
 *
 * @param files they are names of files: a kind does not mean those of secrets, which only their own name does
 */
export function coversArgs(wide: readonly Argument[], narrow: readonly Argument[], files: boolean): boolean {
  const [outer, inner] = [restOf(wide), restOf(narrow)];
  if (inner.fixed.some(isNone)) return true;
  if (inner.fixed.length < outer.fixed.length) return false;
  if (outer.rest === undefined && (inner.rest !== undefined || inner.fixed.length > outer.fixed.length)) return false;
  const at = (index: number): Argument | undefined => outer.fixed[index] ?? outer.rest;
  return [...inner.fixed, ...(inner.rest ? [inner.rest] : [])].every((one, index) => {
    const wanted = index === inner.fixed.length ? outer.rest : at(index);
    return wanted !== undefined && coversArgument(wanted, one, files);
  });
}

function restOf(args: readonly Argument[]): { fixed: readonly (string | TypedParameter)[]; rest?: TypedParameter } {
  const last = args.at(-1);
  const fixed = args.filter((one) => typeof one === "string" || "kind" in one);
  return typeof last === "object" && "rest" in last
    ? { fixed, rest: { kind: last.rest } as TypedParameter }
    : { fixed };
}

/** Nothing fits it. */
const isNone = (one: string | TypedParameter): boolean => {
  const values = valuesOf(one);
  if (values) return values.length === 0;
  const { kind, min = 0, max = MAX_INT } = one as TypedParameter & { min?: number; max?: number };
  return kind === "int" && Math.max(min, 0) > Math.min(max, MAX_INT);
};

/** All that fits, where that can be listed. */
function valuesOf(one: string | TypedParameter): readonly string[] | undefined {
  if (typeof one === "string") return [one];
  return one.kind === "enum" ? one.values.filter((value) => fits(one, value)) : undefined;
}

function coversArgument(wide: Argument, narrow: string | TypedParameter, files: boolean): boolean {
  if (typeof wide === "object" && "kind" in wide && isAny(wide)) return true;
  const listed = typeof wide === "string" || !("kind" in wide) ? [wide] : valuesOf(wide);
  const values = valuesOf(narrow);
  if (values && listed) return values.every((value) => listed.includes(value));
  if (listed || typeof wide === "string" || !("kind" in wide)) return false;
  if (values)
    return values.every((value) =>
      files ? fits(wide, value) && !isRefused(value, "read") : wide.kind !== "relpath" && fits(wide, value),
    );
  return coversKind(wide, narrow as TypedParameter);
}

function coversKind(wide: TypedParameter, narrow: TypedParameter): boolean {
  if (wide.kind === "int" && narrow.kind === "int")
    return (
      Math.max(narrow.min ?? 0, 0) >= (wide.min ?? 0) &&
      Math.min(narrow.max ?? MAX_INT, MAX_INT) <= (wide.max ?? MAX_INT)
    );
  if (wide.kind === "text") {
    const most = wide.max ?? MAX_TEXT;
    if (narrow.kind === "text")
      return (narrow.max ?? MAX_TEXT) <= most && (wide.lines === true || narrow.lines !== true);
    return WITHIN.has(`${narrow.kind} text`) && LONGEST[narrow.kind as keyof typeof LONGEST] <= most;
  }
  return wide.kind === narrow.kind || WITHIN.has(`${narrow.kind} ${wide.kind}`);
}
