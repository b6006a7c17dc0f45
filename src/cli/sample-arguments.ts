import { readJson } from "../../sandbox/wire/read-json.ts";

/** Most ways in which one tool is tried. */
const MOST_WAYS = 12;

/**
 * Arguments that a JSON Schema allows, as far as its types say, for a tool that is tried: what it needs alone, and all that it
 * takes, with each value of the first property that is a choice. Such a tool does another thing for each.
 */
export function samplesOf(schema: unknown): unknown[] {
  const properties = Object.entries<unknown>(Object(Object(schema).properties));
  const [name, values] = properties
    .map(([key, one]) => [key, choicesOf(one)] as const)
    .find(([, choices]) => choices.length > 1) ?? ["", [undefined]];
  const all = Object.fromEntries(properties.map(([key, one]) => [key, sampleOf(one, 1, key)]));
  const ways = [sampleOf(schema), ...values.map((value) => (name === "" ? all : { ...all, [name]: value }))];
  return [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()].slice(0, MOST_WAYS);
}

function choicesOf(schema: unknown): readonly unknown[] {
  const { enum: values, anyOf } = Object(schema) as Schema;
  if (Array.isArray(values)) return values;
  const options = Array.isArray(anyOf) ? anyOf.map(Object) : [];
  return options.length > 0 && options.every((one) => Object.hasOwn(one, "const"))
    ? options.map((one) => one.const)
    : [];
}

/** One value that a schema allows. `name`: of the property that has it. */
function sampleOf(schema: unknown, depth = 0, name = ""): unknown {
  const { type, enum: values, properties, required, items, default: given, anyOf, ...rest } = Object(schema) as Schema;
  if (given !== undefined) return given;
  if ("const" in rest) return rest.const;
  if (Array.isArray(values) && values.length > 0) return values[0];
  if (Array.isArray(anyOf) && anyOf.length > 0) return sampleOf(anyOf[0], depth, name);
  if (type === "string") return textFor(name);
  if (type === "number" || type === "integer") return 1;
  if (type === "boolean") return true;
  if (type === "array") return depth < MAX_DEPTH && items !== undefined ? several(items, rest, depth + 1, name) : [];
  if (depth >= MAX_DEPTH) return {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(needed.map((key) => [key, sampleOf(Object(properties)[key], depth + 1, key)]));
}

/** As many as there must be, one at least, whose texts differ. */
function several(items: unknown, { minItems }: Schema, depth: number, name: string): unknown[] {
  const count = Math.min(Math.max(Number(minItems ?? 1) || 1, 1), MOST_ITEMS);
  return Array.from({ length: count }, (_none, at) => {
    const text = JSON.stringify(sampleOf(items, depth, name));
    return readJson(at === 0 ? text : text.replaceAll('"sample"', `"sample ${at + 1}"`));
  });
}
const MOST_ITEMS = 5;

/** A tool that takes a path or an address looks there. */
export const ANY_PATH = "sample-path";

/** A file of the project in sample events and answers. */
export const EDITED = "src/index.ts";
export const ANY_HOST = "sample.example";

function textFor(name: string): string {
  if (/(^|[a-z_])(paths?|files?|filename|filepath|dir|directory|folder)$/i.test(name)) return ANY_PATH;
  if (/^(ur[il]s?|href|link)$|ur[il]s?$/i.test(name)) return `https://${ANY_HOST}/`;
  return "sample";
}

/** Deeper ones are left empty: a schema can refer to itself. */
const MAX_DEPTH = 5;

interface Schema {
  type?: unknown;
  enum?: unknown;
  properties?: unknown;
  required?: unknown;
  items?: unknown;
  default?: unknown;
  anyOf?: unknown;
  const?: unknown;
  minItems?: unknown;
}
