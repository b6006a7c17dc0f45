/** What plugins import from `openclaw/plugin-sdk` and its parts besides types. */

/** Marks a plugin's entry, and is nothing else. */
export const definePluginEntry = <Entry>(entry: Entry): Entry => entry;

/** The schema of a plugin that takes no configuration. */
export const emptyPluginConfigSchema = (): object => ({
  type: "object",
  additionalProperties: false,
  properties: {},
});
