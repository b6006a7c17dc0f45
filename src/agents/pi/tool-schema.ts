/**
 * Words of JSON Schema that pi may check arguments by. pi does that in its own process, where an expression of a hook's
 * (`pattern`) or a schema that refers to itself could keep it busy for good.
 */
const SAFE = new Set([
  ...["type", "title", "description", "default", "examples", "enum", "const", "required", "additionalProperties"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minProperties", "maxProperties"],
]);
/** Words with schemas in them. */
const NESTED = new Set(["items", "anyOf", "oneOf", "allOf"]);

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema of a hook's tool for pi and the model, without what pi must not check. The hook gets the arguments either way. */
export function toolSchema(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([word, value]): [string, unknown][] => {
      if (word === "properties" && isSchema(value))
        return [[word, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, nested(one)]))]];
      if (NESTED.has(word)) return [[word, Array.isArray(value) ? value.map(nested) : nested(value)]];
      if (word === "additionalProperties") return [[word, nested(value)]];
      return SAFE.has(word) ? [[word, value]] : [];
    }),
  );
}

const nested = (value: unknown): unknown => (isSchema(value) ? toolSchema(value) : value);
