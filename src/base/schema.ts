import Type, { type Static, type TObjectOptions, type TProperties, type TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

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

/** Compiles a schema where it is first used: a session uses few of them, and all together take 35 ms. */
export function compile<Schema extends TSchema>(schema: Schema) {
  let made: Validator<TProperties, Schema> | undefined;
  const validator = (): Validator<TProperties, Schema> => {
    made ??= Compile(schema);
    return made;
  };
  return {
    Check: (value: unknown): value is Static<Schema> => validator().Check(value),
    Errors: (value: unknown) => validator().Errors(value),
  };
}

/** The check of a schema. */
export type SchemaCheck = ReturnType<typeof compile<TSchema>>;

/** Schemas by name. */
export const compiled = (schemas: Record<string, TSchema>): ReadonlyMap<string, SchemaCheck> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, compile(schema)]));
