import { namesText, shownName } from "../base/text.ts";
import type { Bundle } from "./cache.ts";

/** The longest name that a person is shown. */
const MAX_SETTING = 100;

/** What a person can set of a plugin in its grant's `config`: the names that its package lists. */
export const settingsOf = ({ configSchema }: Pick<Bundle, "configSchema">): string[] =>
  Object.keys(Object(configSchema?.properties)).map((name) => shownName(name, MAX_SETTING));

/** The same for a person who decides about the plugin. */
export const settingsText = (settings: readonly string[]): string =>
  `${namesText(settings)}: as its package says, but for what cordon grant ID config says`;
