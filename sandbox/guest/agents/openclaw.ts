/** The exports of `openclaw/plugin-sdk` and its subpaths that plugins import, besides types. */

/** Marks a plugin's entry. It does nothing else. */
export const definePluginEntry = <Entry>(entry: Entry): Entry => entry;

/** The schema of a plugin that has no configuration. */
export const emptyPluginConfigSchema = (): object => ({
  type: "object",
  additionalProperties: false,
  properties: {},
});

/** What a tool returns: a value, which the model reads as JSON. */
export const jsonResult = (value: unknown): object => ({
  content: [{ type: "text", text: JSON.stringify(value, null, 2) }],
  details: value,
});

/** What a tool returns: a text. */
export const textResult = (text: string, details?: unknown): object => ({
  content: [{ type: "text", text }],
  details,
});
