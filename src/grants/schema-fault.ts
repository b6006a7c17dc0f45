import type { TSchema } from "typebox";
import { didYouMean } from "../base/near-names.ts";
import { type SchemaError, schemaEngine } from "../base/schema.ts";
import { lackedKeys } from "./lacked-keys.ts";
import { partAt } from "./schema-part.ts";

/** What is wrong with a value that a person wrote: the key, the fault, and what is allowed. */
export function faultIn(schema: TSchema, value: unknown, errors: readonly SchemaError[]): string {
  const extras = errors.filter(isUnknownKey);
  // Of several forms, the one that knows the key says what is wrong with its value.
  const known = extras.flatMap((extra) => valuesOf(extra, errors));
  const extra = extras.find((one) => valuesOf(one, errors).length === 0);
  if (extra) return unknownKey(schema, extra);
  const last = (known.length > 0 ? known : errors).at(-1);
  if (!last) return "does not fit its format";
  const shown = last.keyword === "anyOf" ? ofClosestForm(last, errors) : last;
  const lacked = lackedKeys(schema, value, shown);
  if (lacked !== undefined) return `${keyOf(shown) || "it"} ${lacked}`;
  return `${keyOf(shown) || "the whole"} ${wantedIn(shown, errors)}`;
}

/** What an error says of a value, with the values that would do. */
export function wantedIn(error: SchemaError, errors: readonly SchemaError[]): string {
  const allowed = allowedValues(error, errors);
  return allowed.length > 0 ? `must be one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}` : error.message;
}

/** What is wrong by the form that fits furthest; where none fits at all, what each of them wants. */
function ofClosestForm(union: SchemaError, errors: readonly SchemaError[]): SchemaError {
  const { instancePath } = union;
  const parts = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "boolean");
  const within = parts.filter((one) => one.instancePath.startsWith(`${instancePath}/`)).at(-1);
  if (within) return within;
  const wanted = new Set(parts.filter((one) => one.instancePath === instancePath).map(wantedBy));
  const [first = "match one of its forms", ...more] = wanted;
  return { ...union, message: `must ${[first, ...more].join(", or ")}` };
}

/** Without its `must`. */
function wantedBy({ keyword, params, message }: SchemaError): string {
  const { allowedValue } = params as { allowedValue?: unknown };
  return keyword === "const" ? `be ${JSON.stringify(allowedValue)}` : message.replace(/^must /, "");
}

/** Most errors that are looked at for a list of all faults. */
const MOST_ERRORS = 1000;

/** The parts of a file that get a fault each, as deep as `maximum.exec.0`. */
const PART_DEPTH = 3;

/** All faults of a value that a person wrote, one for each part of it; none if it fits. */
export function faultsIn(schema: TSchema, value: unknown, errorsOf: () => readonly SchemaError[]): string[] {
  const { Settings } = schemaEngine();
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MOST_ERRORS });
  try {
    const parts = Map.groupBy(errorsOf(), ({ instancePath }) =>
      instancePath
        .split("/")
        .slice(0, PART_DEPTH + 1)
        .join("/"),
    );
    // An unknown key has an error of its own, and is named by that of its object.
    return [...parts.values()]
      .filter((errors) => errors.some(({ keyword }) => keyword !== "boolean"))
      .map((errors) => faultIn(schema, value, errors));
  } finally {
    Settings.Set({ maxErrors });
  }
}

const isUnknownKey = ({ keyword }: SchemaError): boolean =>
  keyword === "additionalProperties" || keyword === "unevaluatedProperties";

/** What other forms of an object say about the value of a key that one form does not know. */
const valuesOf = ({ instancePath, params }: SchemaError, errors: readonly SchemaError[]): SchemaError[] =>
  errors.filter(
    (one) =>
      one.keyword !== "boolean" &&
      namesIn(params).some((name) => {
        const path = `${instancePath}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        return one.instancePath === path || one.instancePath.startsWith(`${path}/`);
      }),
  );

const namesIn = (params: object): readonly string[] =>
  (params as { additionalProperties?: readonly string[] }).additionalProperties ?? [];

/** The first key that a value has and its schema does not know, with what is allowed there; `undefined` if there is none. */
export function unknownKeyIn(schema: TSchema, errors: readonly SchemaError[]): string | undefined {
  const extra = errors.find(isUnknownKey);
  return extra && unknownKey(schema, extra);
}

function unknownKey(schema: TSchema, error: SchemaError): string {
  const names = namesIn(error.params);
  const allowed = Object.keys(partAt(schema, error.schemaPath)?.properties ?? {});
  const key = keyOf(error);
  return [
    `unknown key ${names.map((name) => JSON.stringify(name)).join(", ")}${key ? ` in ${key}` : ""}`,
    ...(allowed.length > 0 ? [`; allowed: ${allowed.join(", ")}`] : []),
    ...names.slice(0, 1).map((name) => didYouMean(name, allowed)),
  ].join("");
}

/** All constants that are allowed for one key: each belongs to another form of the value. */
function allowedValues({ keyword, instancePath, params }: SchemaError, errors: readonly SchemaError[]): unknown[] {
  if (keyword === "enum") return (params as { allowedValues?: unknown[] }).allowedValues ?? [];
  if (keyword !== "const") return [];
  const here = errors.filter((one) => one.keyword === "const" && one.instancePath === instancePath);
  return here.map((one) => (one.params as { allowedValue?: unknown }).allowedValue);
}

const keyOf = ({ instancePath }: SchemaError): string => instancePath.replaceAll("/", ".").replace(/^\./, "");
