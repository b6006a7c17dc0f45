import { cleanLine } from "../base/text.ts";
import type { Bundle } from "./cache.ts";

/** Most settings that are named, and the longest name of one. */
const MAX_SETTINGS = 50;
const MAX_SETTING = 100;

/** What a person can set of a plugin in its grant's `config`: the names that its package lists. */
export const settingsOf = ({ configSchema }: Pick<Bundle, "configSchema">): string[] =>
  Object.keys(Object(configSchema?.properties))
    .slice(0, MAX_SETTINGS)
    .map((name) => cleanLine(name, MAX_SETTING));

/** The same for a person who decides about the plugin. */
export const settingsText = (settings: readonly string[]): string =>
  `${settings.join(", ")}: as its package says; what you write into its grant, as config, goes before that`;
