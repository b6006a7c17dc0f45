import { inQuotes, shownName } from "../base/text.ts";
import type { Bundle } from "./cache.ts";

/** Most settings that a person is shown, and the longest name of one. */
const MAX_SHOWN = 50;
const MAX_SETTING = 100;

/** What a person can set of a plugin in its grant's `config`: the names that its package lists. */
export const settingsOf = ({ configSchema }: Pick<Bundle, "configSchema">): string[] =>
  Object.keys(Object(configSchema?.properties)).map((name) => shownName(name, MAX_SETTING));

/** The same for a person who decides about the plugin. */
export function settingsText(settings: readonly string[]): string {
  const more = settings.length > MAX_SHOWN ? ` and ${settings.length - MAX_SHOWN} more` : "";
  const named = settings.slice(0, MAX_SHOWN).map(inQuotes).join(", ");
  return `${named}${more}: as its package says, but for what cordon grant ID config says`;
}
