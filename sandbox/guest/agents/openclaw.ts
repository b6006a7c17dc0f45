/** The exports of `openclaw/plugin-sdk` and its subpaths that plugins import, besides types. */

/** Marks a plugin's entry. It does nothing else. */
export const definePluginEntry = <Entry>(entry: Entry): Entry => entry;

/** The schema of a plugin that has no configuration. */
export const emptyPluginConfigSchema = (): object => ({
  type: "object",
  additionalProperties: false,
  properties: {},
});
