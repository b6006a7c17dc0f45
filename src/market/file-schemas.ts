import type { TSchema } from "typebox";
import { Manifest } from "../grants/manifest.ts";
import { PolicyShape } from "../grants/policy.ts";
import { CapabilitiesShape } from "../grants/schema.ts";
import { POWERS } from "../powers/powers.ts";
import { GrantsFile } from "../store/grants-text.ts";
import { HooksLock } from "../store/hooks-lock.ts";
import { HookIndex } from "./hook-index.ts";

type Json = { [key: string]: unknown };

const FILES: Record<string, { title: string; description: string; schema: TSchema; refined?: true }> = {
  manifest: {
    title: "Cordon: manifest of a hook",
    description: "What a hook says about itself and asks for: NAME.hook.json beside NAME.ts. It grants nothing.",
    schema: Manifest,
    refined: true,
  },
  grants: {
    title: "Cordon: grants",
    description: "What a person decided that hooks may do: grants.json in Cordon's home, or the file of --grants.",
    schema: GrantsFile,
    refined: true,
  },
  policy: {
    title: "Cordon: policy",
    description: "What an organisation allows. It is above what the user and the project decide.",
    schema: PolicyShape,
  },
  lock: {
    title: "Cordon: lock",
    description:
      "What is installed: hooks.lock in Cordon's home, or .cordon/hooks.lock of a project. Cordon writes it.",
    schema: HooksLock,
  },
  index: {
    title: "Cordon: index of hooks",
    description: "A list of hooks as its author writes it, for cordon index build.",
    schema: HookIndex,
  },
};

/**
 * The JSON Schemas (draft 7, which all editors know) of the files that people write, by name. They accept what the readers
 * accept, and refuse most of what these refuse: see {@link Power.published}.
 */
export function fileSchemas(): Record<string, object> {
  const schemas = Object.fromEntries(
    Object.entries(FILES).map(([name, { title, description, schema, refined = false }]) => {
      const { properties, ...rest } = published(schema, refined) as Json & { properties: Json };
      const named = { type: "string", description: "The JSON Schema of this file, for editors. Cordon ignores it." };
      return [name, { ...head(name, title, description), ...rest, properties: { $schema: named, ...properties } }];
    }),
  );
  const { $schema: _draft, $id: _id, ...manifest } = schemas.manifest as Json;
  const key = "package-cordon";
  const about = "The key of a package.json by which a package says what its hooks ask for.";
  return {
    ...schemas,
    [key]: { ...head(key, "Cordon: package.json", about), type: "object", properties: { cordon: manifest } },
  };
}

const head = (name: string, title: string, description: string): Json => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  $id: `urn:cordon:schemas:${name}`,
  title,
  description,
});

/** TypeBox's schemas are JSON Schemas already. `refined`: the reader checks powers further, see `refineCapabilities`. */
function published(value: unknown, refined: boolean): unknown {
  if (Array.isArray(value)) return value.map((part) => published(part, refined));
  if (typeof value !== "object" || value === null) return value;
  const powers = (value as Json).properties === CapabilitiesShape.properties;
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, published(part, refined)]));
  if (refined && powers)
    for (const [name, { published: further }] of Object.entries<{ published?: object }>(POWERS))
      if (further) parts.properties = merged(parts.properties as Json, { [name]: further });
  return withAnyKey(parts);
}

/** A pattern that every key matches says less than it takes. */
function withAnyKey({ patternProperties, ...rest }: Json): Json {
  if (patternProperties === undefined) return rest;
  const { "^[\\s\\S]*$": any, ...patterns } = patternProperties as Json;
  return any === undefined ? { ...rest, patternProperties: patterns } : { ...rest, additionalProperties: any };
}

function merged(one: Json, other: Json): Json {
  const both = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = both[key];
    both[key] = isObject(known) && isObject(value) ? merged(known, value) : value;
  }
  return both;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
