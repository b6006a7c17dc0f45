import type { PluginSettings } from "../../../wire/messages.ts";
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
 * A value with the defaults of a JSON Schema where it says nothing. A part of it that is missing is its `default` and no more,
 * and stays missing without one.
 */
function withDefaults(schema: unknown, value: unknown, place: Place): unknown {
  if (!isObject(schema)) return value;
  if (value === undefined && Object.hasOwn(schema, "default")) return schema.default;
  const { $ref: ref, allOf } = schema;
  let filled = value;
  if (typeof ref === "string" && !place.within.includes(ref))
    filled = withDefaults(referred(ref, place.root), filled, { ...place, within: [...place.within, ref] });
  for (const part of isArray(allOf) ? allOf : []) filled = withDefaults(part, filled, place);
  if (isArray(filled)) return filled.map((item, index) => withDefaults(itemSchema(schema, index), item, place));
  return isObject(filled) ? withMembers(schema, filled, place) : filled;
}

function withMembers(
  { properties, additionalProperties }: Record<string, unknown>,
  value: Record<string, unknown>,
  place: Place,
): object {
  const named = isObject(properties) ? properties : {};
  const names = new Set([...Object.keys(value), ...Object.keys(named)]);
  const members = [...names].map((name): [string, unknown] => {
    const schema = Object.hasOwn(named, name) ? named[name] : additionalProperties;
    return [name, withDefaults(schema, Object.hasOwn(value, name) ? value[name] : undefined, place)];
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
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
