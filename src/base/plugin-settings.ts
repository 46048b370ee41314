/** Unvalidated plugin settings: only the plugin itself can validate them. */
export interface PluginSettings {
  /** `[plugins.<name>]` of patchbay.toml, by plugin name. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Environment variables by their full names. */
  readonly variables: Readonly<Record<string, string>>;
}

export const noPluginSettings: PluginSettings = { tables: {}, variables: {} };
export const pluginVariablePrefix = "PATCHBAY_PLUGIN_";
