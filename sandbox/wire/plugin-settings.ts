/** `config`: what a person gave a plugin. `schema`: the plugin's own JSON Schema of that, whose defaults hold for the rest. */
export interface PluginSettings {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Longest {@link PluginSettings.config} and longest `schema`, each, in characters of JSON. */
export const MAX_PLUGIN_SETTINGS = 65_536;
