/** Settings of plugins as they were given: only with its plugin is it known whether one is right. */
export interface PluginSettings {
  /** `[plugins.<name>]` of patchbay.toml, by name of the plugin. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Variables of the environment by their whole names. */
  readonly variables: Readonly<Record<string, string>>;
}

export const noPluginSettings: PluginSettings = { tables: {}, variables: {} };
export const pluginVariablePrefix = "PATCHBAY_PLUGIN_";
