import type TypeBox from "typebox";

type Schema = Record<string, unknown>;
type Members = Record<string, Schema>;

/** Marks the schema of a member that an object may lack. It is no part of the JSON Schema. */
const OPTIONAL = "~optional";

const of =
  (kind: Schema) =>
  (options: Schema = {}): Schema => ({ ...kind, ...options });

const object = (properties: Members, options: Schema = {}): Schema => {
  const required = Object.keys(properties).filter((name) => !(properties[name] && OPTIONAL in properties[name]));
  return { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...options };
};

/** A key of any text; like TypeBox's, it does not match one with a line break. */
const ANY_KEY = "^.*$";

const builder = {
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: "array", items, ...options }),
  Boolean: of({ type: "boolean" }),
  Enum: (values: readonly unknown[], options: Schema = {}): Schema => ({ enum: values, ...options }),
  Integer: of({ type: "integer" }),
  Literal: (value: unknown, options: Schema = {}): Schema => ({ type: typeof value, const: value, ...options }),
  Null: of({ type: "null" }),
  Number: of({ type: "number" }),
  Object: object,
  Optional: (schema: Schema): Schema => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Partial: ({ required: _all, ...schema }: Schema, options: Schema = {}): Schema => ({ ...schema, ...options }),
  Record: ({ pattern = ANY_KEY }: Schema, value: Schema, options: Schema = {}): Schema => ({
    type: "object",
    patternProperties: { [pattern as string]: value },
    ...options,
  }),
  String: of({ type: "string" }),
  Tuple: (items: readonly Schema[], options: Schema = {}): Schema => ({
    type: "array",
    additionalItems: false,
    items,
    minItems: items.length,
    ...options,
  }),
  Undefined: of({ type: "undefined" }),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Unknown: of({}),
};

/**
 * Makes JSON Schemas, with the types that TypeBox derives from them. TypeBox's own functions do that, too; to load them takes
 * longer than all else that Cordon loads. Of a `Record`, the key is a `String`.
 */
const Type = builder as unknown as Pick<typeof TypeBox, keyof typeof builder>;
export default Type;
