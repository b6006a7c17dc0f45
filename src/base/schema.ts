import { createRequire } from "node:module";
import type { Static, TObjectOptions, TProperties, TSchema } from "typebox";
import { builtForHost } from "./package-root.ts";
import Type from "./type.ts";

/** The schema of an object with these properties and no others. */
export const exactly = <Properties extends TProperties>(properties: Properties, options: TObjectOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/**
 * The schema of an object with any keys, of up to `longest` characters. `Type.Record` of a plain `Type.String()` does not check
 * the value of a key with a line break, nor the length of a key.
 */
export const keyed = <Value extends TSchema>(value: Value, options: TObjectOptions = {}, longest?: number) =>
  Type.Record(Type.String({ pattern: `^[\\s\\S]${longest === undefined ? "*" : `{0,${longest}}`}$` }), value, {
    ...options,
    ...(longest === undefined ? {} : { additionalProperties: false }),
  });

const require = createRequire(import.meta.url);
let engine: typeof import("./schema-engine.ts") | undefined;

/** TypeBox's compiler and its settings. */
export function schemaEngine(): NonNullable<typeof engine> {
  engine ??= require(builtForHost("base", "schema-engine.cjs")) as NonNullable<typeof engine>;
  return engine;
}

/** What is wrong with a value at one place in it, as TypeBox says it. */
export interface SchemaError {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  message: string;
  params: object;
}

/** With the article that TypeBox leaves out: `must be an array`. Nothing is counted to one. */
const inEnglish = (message: string): string =>
  message
    .replace(/^must be (?=array$|object$|integer$)/, "must be an ")
    .replace(/^must be (?=string$|number$|boolean$)/, "must be a ")
    .replace(/^must not have fewer than 1 .*$/, "must not be empty");

/** Compiles a schema where it is first used: a session uses few of them, and all together take 35 ms. */
export function compile<Schema extends TSchema>(schema: Schema) {
  let made: { Check(value: unknown): boolean; Errors(value: unknown): [boolean, SchemaError[]] } | undefined;
  const validator = () => {
    made ??= schemaEngine().Compile(schema);
    return made;
  };
  return {
    schema,
    Check: (value: unknown): value is Static<Schema> => validator().Check(value),
    Errors: (value: unknown): SchemaError[] =>
      validator().Check(value)
        ? []
        : validator()
            .Errors(value)[1]
            .map((error) => ({ ...error, message: inEnglish(error.message) })),
  };
}

/** The check of a schema. */
export type SchemaCheck = ReturnType<typeof compile<TSchema>>;

/** Schemas by name. */
export const compiled = (schemas: Record<string, TSchema>): ReadonlyMap<string, SchemaCheck> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, compile(schema)]));
