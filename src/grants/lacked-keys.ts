import type { TSchema } from "typebox";
import { nearNames } from "../base/near-names.ts";
import type { SchemaError } from "../base/schema.ts";
import { partAt, valueAt } from "./schema-part.ts";

/** The required keys that a value lacks, with what was probably meant by them; `undefined` if the error says something else. */
export function lackedKeys(
  schema: TSchema,
  value: unknown,
  { keyword, params, schemaPath, instancePath }: SchemaError,
): string | undefined {
  if (keyword !== "required") return undefined;
  const lacked = (params as { requiredProperties?: readonly string[] }).requiredProperties ?? [];
  const known = new Set(Object.keys(partAt(schema, schemaPath)?.properties ?? {}));
  const others = Object.keys(Object(valueAt(value, instancePath))).filter((name) => !known.has(name));
  const meant = lacked.flatMap((name) => nearNames(name, others).map((near) => `${name} by ${JSON.stringify(near)}`));
  return `lacks ${lacked.join(", ")}${meant.length === 0 ? "" : `; did you mean ${meant.join(" or ")}?`}`;
}
