import { MAX_DEPTH } from "../../sandbox/wire/messages.ts";
import { MAX_PLUGIN_SETTINGS } from "../../sandbox/wire/plugin-settings.ts";
import { readJson } from "../../sandbox/wire/read-json.ts";
import { messageOf } from "../base/errors.ts";
import { isDeeper } from "../base/json-depth.ts";
import { PLUGIN_FILE } from "./package-hooks.ts";

/**
 * The JSON Schema of a plugin's configuration, from the text of its {@link PLUGIN_FILE}. Throws if it cannot be had: without the
 * defaults in it, a guard would guard less than its package says.
 */
export function configSchemaIn(text: string): Record<string, unknown> | undefined {
  const { configSchema } = manifestIn(text);
  if (configSchema === undefined || typeof configSchema === "boolean") return undefined;
  if (typeof configSchema !== "object" || configSchema === null || Array.isArray(configSchema))
    throw new Error(`${PLUGIN_FILE}: configSchema must be a JSON Schema`);
  if (isDeeper(configSchema, MAX_DEPTH))
    throw new Error(`${PLUGIN_FILE}: configSchema is nested deeper than ${MAX_DEPTH}`);
  if (JSON.stringify(configSchema).length > MAX_PLUGIN_SETTINGS)
    throw new Error(`${PLUGIN_FILE}: configSchema is longer than ${MAX_PLUGIN_SETTINGS} characters`);
  return { ...configSchema };
}

function manifestIn(text: string): { configSchema?: unknown } {
  let manifest: unknown;
  try {
    manifest = readJson(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new Error(`${PLUGIN_FILE} is not JSON: ${messageOf(error)}`);
  }
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest))
    throw new Error(`${PLUGIN_FILE} must be an object`);
  return manifest;
}
