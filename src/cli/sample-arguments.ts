/** Arguments that a JSON Schema allows, as far as its types say: for a tool that is tried. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  const { type, enum: values, properties, required, items, default: given, anyOf, ...rest } = Object(schema) as Schema;
  if (given !== undefined) return given;
  if ("const" in rest) return rest.const;
  if (Array.isArray(values) && values.length > 0) return values[0];
  if (Array.isArray(anyOf) && anyOf.length > 0) return sampleOf(anyOf[0], depth);
  if (type === "string") return "sample";
  if (type === "number" || type === "integer") return 1;
  if (type === "boolean") return true;
  if (type === "array") return depth < MAX_DEPTH && items !== undefined ? [sampleOf(items, depth + 1)] : [];
  if (depth >= MAX_DEPTH) return {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(needed.map((name) => [name, sampleOf(Object(properties)[name], depth + 1)]));
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
}
