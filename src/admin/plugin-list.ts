/** Lists plugins: loaded ones with origin and settings, refused ones with the reason. */

import type { PluginRecord } from "../api/admin/plugin.ts";
import { requireScope, seesAll } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { noPluginSettings, type PluginSettings } from "../base/plugin-settings.ts";
import type { Registry } from "../registry/registry.ts";
import { shownSettings } from "../registry/settings.ts";

export interface PluginListTools {
  readonly plugins: Registry;
  readonly pluginSettings?: PluginSettings;
}

export function createPluginList({ plugins, pluginSettings = noPluginSettings }: PluginListTools) {
  const settingsOf = (plugin: ReturnType<Registry["all"]>[number]) =>
    shownSettings(plugin, pluginSettings, plugins.settings(plugin)).map(({ name, value, origin }) => ({
      name,
      value,
      origin,
    }));

  return {
    async listPlugins(caller: Caller): Promise<PluginRecord[]> {
      requireScope(caller, "admin");
      const loaded = plugins.all().map((plugin) => ({
        name: plugin.name,
        kind: plugin.kind,
        version: plugin.version ?? null,
        origin: plugins.originOf(plugin) ?? "",
        // They name credentials, and servers that hold them.
        settings: seesAll(caller) ? settingsOf(plugin) : [],
        refused: null,
      }));
      const refused = plugins.refusals().map(({ plugin, reason }) => ({
        name: plugin,
        kind: null,
        version: null,
        origin: plugin,
        settings: [],
        refused: reason,
      }));
      return [...loaded, ...refused];
    },
  };
}
