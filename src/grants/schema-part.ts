import type { TSchema } from "typebox";

type Part = { properties?: object } & Record<string, unknown>;

/** The names in a JSON pointer. */
const namesOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

/** What a pointer names within a value; `undefined` if nothing is there. */
export function valueAt(value: unknown, pointer: string): unknown {
  let part = value;
  for (const name of namesOf(pointer))
    part = typeof part === "object" && part !== null && Object.hasOwn(part, name) ? (part as Part)[name] : undefined;
  return part;
}

/** The part of a schema that a pointer names. */
export const partAt = (schema: TSchema, pointer: string): Part | undefined =>
  valueAt(schema, pointer) as Part | undefined;
