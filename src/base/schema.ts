import Type, { type TObjectOptions, type TProperties, type TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

/** The schema of an object with these properties and no others. */
export const exactly = <Properties extends TProperties>(properties: Properties, options: TObjectOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** Schemas by name, compiled. */
export const compiled = (schemas: Record<string, TSchema>): ReadonlyMap<string, Validator> =>
  new Map(Object.entries(schemas).map(([name, schema]) => [name, Compile(schema)]));
