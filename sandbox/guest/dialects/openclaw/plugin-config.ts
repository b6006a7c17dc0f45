import type { PluginSettings } from "../../../wire/plugin-settings.ts";
import { isObject } from "../../core/exports.ts";
import { isArray, parse, serialize } from "../../core/primordials.ts";

/**
 * A plugin's configuration, as an object of the hook's realm: what a person gave it, and for the rest the defaults of its schema,
 * as OpenClaw fills them in.
 */
export const pluginConfig = ({ config = {}, schema = {} }: PluginSettings = {}): unknown =>
  parse(serialize(withDefaults(schema, config, { root: schema, within: [] })));

/** `within`: the references that are being followed. */
interface Place {
  readonly root: unknown;
  readonly within: readonly string[];
}

/**
 * A value with the defaults of a JSON Schema where it says nothing, also within a default. A part that is missing stays so without
 * one. Of references, those to the schema itself and to a path in it are followed.
 */
function withDefaults(schema: unknown, value: unknown, place: Place): unknown {
  if (!isObject(schema)) return value;
  const { $ref: ref, allOf } = schema;
  let filled = value === undefined && Object.hasOwn(schema, "default") ? schema.default : value;
  if (typeof ref === "string" && !place.within.includes(ref))
    filled = withDefaults(referred(ref, place.root), filled, { ...place, within: [...place.within, ref] });
  for (const part of isArray(allOf) ? allOf : []) filled = withDefaults(part, filled, place);
  if (isArray(filled)) return filled.map((item, index) => withDefaults(itemSchema(schema, index), item, place));
  return isObject(filled) ? withMembers(schema, filled, place) : filled;
}

function withMembers(
  { properties, patternProperties, additionalProperties }: Record<string, unknown>,
  value: Record<string, unknown>,
  place: Place,
): object {
  const named = isObject(properties) ? properties : {};
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  const names = new Set([...Object.keys(value), ...Object.keys(named)]);
  const members = [...names].map((name): [string, unknown] => {
    const fitting = patterns.flatMap(([pattern, schema]) => (fits(pattern, name) ? [schema] : []));
    const schemas = [...(Object.hasOwn(named, name) ? [named[name]] : []), ...fitting];
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const all = schemas.length > 0 ? schemas : [additionalProperties];
    return [name, all.reduce((filled, schema) => withDefaults(schema, filled, place), given)];
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** False for a text that is no pattern. */
function fits(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern).test(name);
  } catch {
    return false;
  }
}

const itemSchema = ({ items }: Record<string, unknown>, index: number): unknown =>
  isArray(items) ? items[index] : items;

/** What a reference within the same schema leads to: `#`, or `#/` and a path. */
function referred(ref: string, root: unknown): unknown {
  if (!/^#(\/|$)/.test(ref)) return undefined;
  let found: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found =
      Object(found) === found && Object.hasOwn(found as object, name) ? Reflect.get(found as object, name) : undefined;
  }
  return found;
}
